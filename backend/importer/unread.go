package importer

import (
	"bytes"
	"context"
	"path"
	"regexp"
	"slices"
	"strings"

	"keepsake/backend/fault"
	"keepsake/backend/intake"
)

// product is a program whose files people have and no reader reads.
type product struct {
	name string
	// instead is what of the same program Keepsake reads; "" where that is nothing.
	instead string
	is      func(looked) bool
}

// looked is a file with its shape and its first kilobytes, from which the program that
// wrote it is recognized.
type looked struct {
	intake.File
	Shape
	head []byte
}

func (l looked) holds(text string) bool { return bytes.Contains(l.head, []byte(text)) }

// products are asked in order: formats that many programs write come last.
var products = []product{
	{"VS Code Copilot Chat", "", func(l looked) bool {
		return l.Has("requests.requestId") && l.Has("requests.message") || l.Has("kind") && l.Has("v.requests")
	}},
	{"Copilot CLI", "", func(l looked) bool { return l.ItemText("type") == "session.start" && l.Has("data.sessionId") }},
	{"ChatGPT Exporter", "ChatGPT", func(l looked) bool { return l.Has("messages.say") || l.holds("## Prompt:") && l.holds("## Response:") }},
	{"AnythingLLM", "", func(l looked) bool { return l.ItemHas("prompt") && l.ItemHas("response") && l.ItemHas("workspace") }},
	{"Character.AI", "", func(l looked) bool {
		return l.ItemHas("msgs.src.is_human") || l.ItemHas("turns.candidates.raw_content")
	}},
	{"Meta AI", "", func(l looked) bool {
		return l.Base() == "your_ai_conversations.html" || path.Base(path.Dir(l.Path)) == "meta_ai_profile"
	}},
	{"Aider", "", func(l looked) bool {
		return strings.HasPrefix(l.Base(), ".aider.") || l.holds("# aider chat started at ")
	}},
	{"claude-mem", "", func(l looked) bool { return l.Has("totalObservations") || l.Has("observations.memory_session_id") }},
	{"supermemory", "", func(l looked) bool { return l.ItemHas("documents.containerTags") || l.ItemHas("containerTags") }},
	{"big-AGI", "", func(l looked) bool { return l.ItemHas("messages.fragments") }},
	{"BetterChatGPT", "", func(l looked) bool {
		return l.Has("chats.config.model") && l.Has("chats.messages.role") || l.ItemHas("config.model") && l.ItemHas("messages.role")
	}},
	{"HuggingChat", "", func(l looked) bool {
		return l.ItemHas("rootMessageId") || l.ItemHas("_id") && l.ItemHas("messages.from")
	}},
	{"OpenClaw, Pi", "", func(l looked) bool { return l.ItemText("type") == "session" && l.Has("cwd") && l.Has("message.role") }},
	{"Gemini CLI", "~/.gemini/tmp", func(l looked) bool {
		return l.Has("history.role") && l.Has("history.parts") || l.Kind == '[' && l.ItemHas("role") && l.ItemHas("parts.text")
	}},
	{"Claude Code", "~/.claude/projects", func(l looked) bool {
		return l.Has("display") && l.Has("pastedContents") || l.holds("\u2500 Claude Code v")
	}},
	{"Codex", "~/.codex/sessions", func(l looked) bool { return l.Has("session_id") && l.Has("ts") && l.Has("text") }},
	{"ShareGPT", "", func(l looked) bool {
		return l.ItemHas("conversations.from") && l.ItemHas("conversations.value") || l.ItemHas("from") && l.ItemHas("value")
	}},
	{plainMessages, "", func(l looked) bool {
		return l.ItemHas("messages.role") && l.ItemHas("messages.content") || l.ItemHas("role") && l.ItemHas("content")
	}},
}

// plainMessages is what scripts and many programs write.
const plainMessages = "AnythingLLM, Unsloth, OpenAI (messages: role, content)"

// databases are programs whose chats are in a SQLite database, by what its table
// definitions hold.
var databases = []struct {
	name   string
	tables []string
}{
	{"Cursor", []string{"cursorDiskKV"}},
	{"Zed", []string{"threads", "data_type"}},
	{"Goose", []string{"sessions", "working_dir", "content_json"}},
	{"opencode", []string{"session", "project_id", "slug", "directory"}},
	{"Open WebUI", []string{"chat", "chatidtag"}},
	{"Ollama", []string{"chats"}},
}

// productOf names the program that a file nobody reads is of.
func productOf(f intake.File, s Shape, head []byte) (product, bool) {
	i := slices.IndexFunc(products, func(p product) bool { return p.is(looked{f, s, head}) })
	if i < 0 {
		return product{}, false
	}
	return products[i], true
}

// unread is the refusal of a tree of that program.
func (p product) unread(tree *intake.Tree) *fault.Error {
	switch {
	case p.instead == "":
		return named(fault.New(fault.Unsupported, "unread-provider", "{name} is a file of {provider}, which Keepsake does not read yet.").
			With("provider", p.name).
			Advise("Open it there, copy the text, and paste it on the Import screen."), tree)
	case strings.HasPrefix(p.instead, "~"):
		return named(fault.New(fault.Unsupported, "unread-file", "{name} is a file of {provider} in a form that Keepsake does not read yet.").
			With("provider", p.name).With("instead", p.instead).
			Advise("Drop the folder {instead}, in which {provider} keeps its sessions."), tree)
	}
	return named(fault.New(fault.Unsupported, "unread-copy", "{name} is a copy that {provider} made of a conversation, which Keepsake does not read yet.").
		With("provider", p.name).With("instead", p.instead).
		Advise("Ask {instead} for your export, which holds all conversations; the Import screen says how."), tree)
}

// whatElse calls a tree that nobody reads what it is, where that can be told; nil
// where it cannot.
func whatElse(ctx context.Context, tree *intake.Tree) (is *fault.Error, err error) {
	files := tree.Files()
	for _, f := range files[:min(len(files), maxLooks)] {
		shape, head, err := LookAt(ctx, tree, f)
		if err != nil {
			return nil, err
		}
		if f.Base() == "[Content_Types].xml" {
			return named(fault.New(fault.Unsupported, "unread-office", "{name} is an office document, of which Keepsake reads Perplexity's workbook only.").
				Advise("Copy its text and paste it on the Import screen."), tree), nil
		}
		if p, ok := productOf(f, shape, head); ok {
			return p.unread(tree), nil
		}
		if is := ofKind(head, tree); is != nil && (len(files) == 1 || is.Args["provider"] != "") {
			return is, nil
		}
	}
	return nil, nil
}

// databaseOf names the program whose tables a database has.
func databaseOf(head []byte) string {
	for _, d := range databases {
		created := regexp.MustCompile("(?i)CREATE TABLE (?:IF NOT EXISTS )?[\"`\\[]?" + d.tables[0] + "\\b")
		tables := 0
		for _, word := range d.tables {
			if bytes.Contains(head, []byte(word)) {
				tables++
			}
		}
		if created.Match(head) && tables == len(d.tables) {
			return d.name
		}
	}
	return ""
}

// ofKind calls the only file of a tree what it is by how it begins.
func ofKind(head []byte, tree *intake.Tree) *fault.Error {
	begins := func(with ...string) bool {
		return slices.ContainsFunc(with, func(w string) bool { return bytes.HasPrefix(head, []byte(w)) })
	}
	page := strings.ToLower(string(bytes.TrimSpace(head[:min(len(head), 256)])))
	switch {
	case begins("SQLite format 3\x00"):
		if program := databaseOf(head); program != "" {
			return named(fault.New(fault.Unsupported, "unread-database-of", "{name} is the database of {provider}, which Keepsake does not read yet.").
				With("provider", program).
				Advise("Use the program's own export of its chats, or copy their text and paste it on the Import screen."), tree)
		}
		return named(fault.New(fault.Unsupported, "unread-database", "{name} is the database of a program, which Keepsake does not read.").
			Advise("Use the program's own export of its chats."), tree)
	case begins("%PDF-"):
		return named(fault.New(fault.Unsupported, "unread-pdf", "{name} is a PDF, which Keepsake does not read.").
			Advise("Copy its text and paste it on the Import screen."), tree)
	case begins("\x89PNG", "\xFF\xD8\xFF", "GIF8"):
		return named(fault.New(fault.Unsupported, "unread-picture", "{name} is a picture, which Keepsake does not read.").
			Advise("Drop the file that the provider sent, or paste text on the Import screen."), tree)
	case strings.HasPrefix(page, "<!doctype html"), strings.HasPrefix(page, "<html"):
		return named(fault.New(fault.Unsupported, "unread-page", "{name} is a web page, of which Keepsake reads Google's My Activity only.").
			Advise("Drop the file that the provider sent, or copy the text and paste it on the Import screen."), tree)
	}
	return nil
}

func named(f *fault.Error, tree *intake.Tree) *fault.Error { return f.With("name", tree.Name()) }
