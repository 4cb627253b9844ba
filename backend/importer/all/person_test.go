package all_test

import (
	"bytes"
	"encoding/json"
	"html"
	"path"
	"slices"
	"strings"
	"testing"

	"keepsake/backend/importer"
	"keepsake/backend/importer/all"
	. "keepsake/backend/importer/importertest"
	"keepsake/backend/importer/importertest/gen"
	"keepsake/backend/memory"
)

// planted is a sentence that no program writes.
const planted = "Zebras wear planted stripes on Mondays"

// beside lists texts of user messages: the tags that programs write there, each with the
// planted sentence before it or behind it, and the sentence inside an unknown tag.
func beside() (all []string) {
	for _, tag := range []string{
		"ide_opened_file", "ide_selection", "system-reminder", "task-notification", "local-command-stdout", "bash-stderr", "user-prompt-submit-hook",
		"environment_context", "user_instructions", "skill", "turn_aborted", "recommended_plugins", "goal_context", "subagent_notification",
		"session_context", "command-name", "quite-new", "poem", "b",
	} {
		envelope := "<" + tag + ">inner words</" + tag + ">"
		all = append(all, envelope+" "+planted, planted+" "+envelope, planted+" "+envelope+" and on", envelope+" "+planted+" "+envelope, "<"+tag+">"+planted)
	}
	return append(all,
		"<quite-new>"+planted+"</quite-new>", "<poem>"+planted+"</poem> said I", "<quite-new a=1>"+planted+"</quite-new>",
		"<command-name>/go</command-name> <command-args>"+planted+"</command-args>", "<command-args>"+planted+"</command-args> <command-name>/go</command-name>",
		"<bash-input>"+planted+"</bash-input>", "<bash-input>ls</bash-input> "+planted,
		"[Request interrupted by user] "+planted, planted+" [Request interrupted by user]", planted+" Stop hook feedback: no",
		"# AGENTS.md instructions for /x <INSTRUCTIONS> b </INSTRUCTIONS> "+planted, "# Context from my IDE setup: ## My request for Codex: "+planted,
		"# Context from my IDE setup: "+planted, "/compact "+planted, "! "+planted, "<!-- "+planted+" -->", "{{"+planted+"}}",
	)
}

// TestNoWordsOfAPersonAreDropped: whatever stands around the words of a person in their
// own message, some message of theirs holds them, or a call that they gave, or they are
// counted as unknown by name.
func TestNoWordsOfAPersonAreDropped(t *testing.T) {
	held := map[string]bool{}
	for _, sample := range gen.Samples() {
		im, ok := readers()[sample.Reader]
		if !ok {
			t.Fatal(sample.Reader)
		}
		said := saidIn(t, im, sample)
		if said == "" {
			continue
		}
		held[sample.Reader] = true
		for _, text := range beside() {
			mark := said[:len(said)-len(strings.TrimLeft(said, `\"`))]
			r := Read(t, im, Fixture{Files: put(t, sample.Files, said, mark+text+mark)}.Tree(t))
			if !keeps(r) {
				t.Errorf("%s, %s: %q is nowhere: %v, %v", sample.Reader, sample.Name, text, r.Skipped, r.Unknown)
			}
		}
	}
	for id := range readers() {
		if !held[id] && !slices.Contains(withoutWords, id) {
			t.Errorf("%s: no words of a person were found in its samples", id)
		}
	}
}

// withoutWords are readers of statements, and those whose samples hold what a person said
// in a form that is no text of a file.
var withoutWords = []string{"pasted", "mem0", "openmemory", "mcp-memory", "basic-memory", "instruction-file", "mif"}

func readers() map[string]importer.Importer {
	byID := map[string]importer.Importer{}
	for _, im := range all.Importers() {
		byID[im.Info().ID] = im
	}
	return byID
}

// keeps reports that a person says the sentence, or that it stands in what is counted.
func keeps(r *Recording) bool {
	for _, c := range r.Conversations {
		for _, m := range c.Messages {
			calls, _ := json.Marshal(m.ToolCalls)
			if m.Role == memory.User && strings.Contains(m.Content.PlainText()+string(calls), planted) {
				return true
			}
		}
	}
	for kind := range r.Unknown {
		if strings.HasPrefix(kind, "envelope:") {
			return true
		}
	}
	return false
}

// saidIn finds a text of a person that stands in a file of a sample as it is.
func saidIn(t *testing.T, im importer.Importer, s gen.Sample) string {
	for _, c := range Read(t, im, Fixture{Files: s.Files}.Tree(t)).Conversations {
		for _, m := range c.Messages {
			text := m.Content.PlainText()
			if i := strings.IndexAny(text, "\\\"\n<>&,;'!"); i >= 0 {
				text = text[:i]
			}
			for _, mark := range []string{"", `\"`, `"`} {
				if m.Role == memory.User && len(text)+4*len(mark) > 5 && !bytes.Equal(flat(put(t, s.Files, mark+text+mark, "x")), flat(s.Files)) {
					return mark + text + mark
				}
			}
		}
	}
	return ""
}

func flat(files []gen.File) (all []byte) {
	for _, f := range files {
		all = append(all, f.Data...)
	}
	return all
}

// put writes another text in place of one, in all files and what is packed in them.
func put(t *testing.T, files []gen.File, said, text string) []gen.File {
	var out []gen.File
	for _, f := range files {
		switch ext := path.Ext(f.Name); {
		case bytes.HasPrefix(f.Data, []byte("PK")):
			f.Data = gen.Zip(put(t, Unpack(t, f.Data), said, text))
		case ext == ".html" || ext == ".xml":
			f.Data = bytes.ReplaceAll(f.Data, []byte(said), []byte(html.EscapeString(text)))
		default:
			f.Data = bytes.ReplaceAll(f.Data, []byte(said), []byte(text))
		}
		out = append(out, f)
	}
	return out
}
