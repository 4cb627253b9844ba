package importer

import (
	"encoding/json"
	"regexp"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"keepsake/backend/importer/jsonstream"
	"keepsake/backend/memory"
)

// Programs write into the place of a person: what is open in an editor, what a command
// printed, what the model is to know. They put it between tags, or below a heading. One
// table says which; what is not in it is the person's.

// envelopeTags are tags between which a program writes.
var envelopeTags = map[string]bool{
	// Claude Code
	"ide_opened_file": true, "ide_selection": true, "ide_diagnostics": true, "system-reminder": true, "task-notification": true,
	"local-command-caveat": true, "local-command-stdout": true, "local-command-stderr": true, "bash-stdout": true, "bash-stderr": true,
	"user-prompt-submit-hook": true,
	// Codex
	"environment_context": true, "user_instructions": true, "instructions": true, "permissions": true, "collaboration_mode": true,
	"skills_instructions": true, "skill": true, "turn_aborted": true, "recommended_plugins": true, "goal_context": true,
	"codex_internal_context": true, "subagent_notification": true, "user_shell_command": true, "apps_instructions": true, "plugins_instructions": true,
	// Gemini CLI
	"session_context": true,
	// Cline, Roo Code, Kilo Code
	"environment_details": true,
	// what a person gave to the program, not to the model
	tagCommand: true, tagMessage: true, tagArgs: true, tagShell: true,
}

// Tags of commands that a person gave.
const (
	tagCommand = "command-name"
	tagMessage = "command-message"
	tagArgs    = "command-args"
	tagShell   = "bash-input"
)

// envelopeHeads begin a text of a program: up to the mark that ends it, or whole where
// there is none.
var envelopeHeads = []struct{ begins, ends string }{
	{"Stop hook feedback:", ""},
	{"[Request interrupted by user", "]"},
	{"This session is being continued from a previous conversation", ""},
	{"Caveat: The messages below", ""},
	{"This is the Gemini CLI. We are setting up the context for our chat.", ""},
	{"# AGENTS.md instructions for ", "</INSTRUCTIONS>"},
	{"# Context from my IDE setup:", "## My request for Codex:"},
	{"# Files mentioned by the user:", "## My request for Codex:"},
}

// Spoken is what a block of text in a person's place says.
type Spoken struct {
	Text    string   // the person's words: "/name args" for a command that has arguments
	Program []string // what a program wrote, in order
	Command string   // name of a command without arguments, which says nothing to the model
	Shell   string   // a command line that the person had run
	Unknown string   // the tag between which all of it stands, where it is none that is known
}

// Spoken unwraps a block of text in a person's place. What a program wrote there is kept
// as a note beside the message, and a tag that is not known is counted by its name.
func (r *Reading) Spoken(m *memory.Message, block string) Spoken {
	s := Unwrap(block)
	if s.Unknown != "" {
		r.Sink.Unknown("envelope:" + s.Unknown)
	}
	if len(s.Program) == 0 {
		return s
	}
	var all [][]byte
	for _, v := range jsonstream.Items(jsontext.Value(m.RawMetadata[programText])) {
		all = append(all, v)
	}
	for _, text := range s.Program {
		quoted, _ := jsontext.AppendQuote(nil, text)
		all = append(all, quoted)
	}
	KeepRaw(&m.RawMetadata, programText, List(all))
	return s
}

// Words are those of who speaks in a message: of a person what Spoken says is theirs, none
// where a program wrote all of it. A command line that they had run is a call.
func (r *Reading) Words(m *memory.Message, text string) []string {
	if m.Role != memory.User {
		return []string{text}
	}
	s := r.Spoken(m, text)
	if s.Shell != "" {
		m.ToolCalls = append(m.ToolCalls, shellCall(s.Shell))
	}
	if s.Text == "" && (len(s.Program) > 0 || s.Shell != "") {
		return nil
	}
	return []string{s.Text}
}

// Role is the role that a message names. One that is not among these is counted, and
// neither the person's nor the assistant's words.
func (r *Reading) Role(v jsontext.Value, roles map[string]memory.Role) memory.Role {
	said := TextIn(v, "role")
	if role, known := roles[said]; known {
		return role
	}
	r.Sink.Unknown("role:" + said)
	return memory.System
}

func shellCall(line string) memory.ToolCall {
	quoted, _ := jsontext.AppendQuote(nil, line)
	return memory.ToolCall{Name: "shell", Input: json.RawMessage(quoted)}
}

// programText is the member of raw_metadata for what a program wrote.
const programText = "program_text"

// Unwrap takes complete envelopes off the ends of a block of text. What a person quotes
// amid their words stays, and so does an envelope that is not closed.
func Unwrap(block string) Spoken {
	var s Spoken
	tags := map[string]string{}
	rest := strings.TrimSpace(block)
	for rest != "" {
		tag, inner, n := envelopeAt(rest)
		if n == 0 {
			break
		}
		if tags[tag] = strings.TrimSpace(inner); tag != tagArgs && tag != tagShell {
			s.Program = append(s.Program, rest[:n])
		}
		rest = strings.TrimSpace(rest[n:])
	}
	for rest != "" {
		from := envelopeBehind(rest)
		if from < 0 {
			break
		}
		s.Program = append(s.Program, rest[from:])
		rest = strings.TrimSpace(rest[:from])
	}
	s.Shell = tags[tagShell]
	name, args := strings.TrimPrefix(tags[tagCommand], "/"), tags[tagArgs]
	switch {
	case args != "":
		rest = strings.TrimSpace("/" + name + " " + args + "\n\n" + rest)
	case name != "":
		s.Command = name
	}
	if s.Text = rest; len(tags) == 0 && len(s.Program) == 0 {
		s.Text = block
	}
	if m := onlyTag.FindStringSubmatch(rest); m != nil && strings.HasSuffix(rest, "</"+m[1]+">") {
		s.Unknown = m[1]
	}
	return s
}

var (
	openTag = regexp.MustCompile(`^<([A-Za-z][A-Za-z_-]*)(?:[ \t][^<>]*)?>`)
	lastTag = regexp.MustCompile(`</([A-Za-z][A-Za-z_-]*)>$`)
	onlyTag = regexp.MustCompile(`^<([a-z_-]+)(?:[ \t][^<>]*)?>`)
)

// envelopeAt is the envelope with which a text begins: its tag, what it holds, and how
// long it is; 0 for none.
func envelopeAt(text string) (tag, inner string, n int) {
	for _, head := range envelopeHeads {
		if !strings.HasPrefix(text, head.begins) {
			continue
		}
		if head.ends == "" {
			return "", text, len(text)
		}
		if i := strings.Index(text, head.ends); i >= 0 {
			return "", "", i + len(head.ends)
		}
	}
	m := openTag.FindStringSubmatch(text)
	if m == nil || !envelopeTags[strings.ToLower(m[1])] {
		return "", "", 0
	}
	i := strings.Index(text, "</"+m[1])
	if i < 0 {
		return "", "", 0
	}
	end := strings.IndexByte(text[i:], '>')
	if end < 0 {
		return "", "", 0
	}
	return strings.ToLower(m[1]), text[len(m[0]):i], i + end + 1
}

// envelopeBehind is where the envelope begins with which a text ends, -1 for none. Only
// what a program wrote for the model stands behind words.
func envelopeBehind(text string) int {
	m := lastTag.FindStringSubmatch(text)
	if m == nil || !envelopeTags[strings.ToLower(m[1])] {
		return -1
	}
	from := strings.LastIndex(text, "<"+m[1])
	if from < 0 {
		return -1
	}
	if open := openTag.FindStringSubmatch(text[from:]); open == nil || open[1] != m[1] {
		return -1
	}
	return from
}
