package geminicli

import (
	"context"

	"keepsake/backend/importer"
	"keepsake/backend/intake"
)

const (
	platform    = "gemini-cli"
	webPlatform = "gemini"
)

// webProject is what browser extensions name as the project of chats of Gemini's page,
// which they save in the shape of a session of Gemini CLI.
const webProject = "gemini-web"

// Importer reads sessions of Gemini CLI. The zero value is ready.
type Importer struct {
	most int64 // bytes that are held of a session; 0 is as many as of any conversation
	web  bool
}

// Web reads the chats of Gemini's page that browser extensions saved as sessions.
func Web() Importer { return Importer{web: true} }

// Info names the reader.
func (i Importer) Info() importer.Info {
	if i.web {
		return importer.Info{ID: webProject, Name: "Gemini", Platform: webPlatform, Version: "gemini-web/2026.12"}
	}
	return importer.Info{ID: "gemini-cli", Name: "Gemini CLI", Platform: platform, Version: "gemini-cli/2026.12"}
}

var endings = []string{".jsonl", ".json"}

// Sniff recognises a session by its project.
func (i Importer) Sniff(ctx context.Context, tree *intake.Tree) (importer.Match, error) {
	return importer.MatchFirst(ctx, tree, endings, func(f intake.File, s importer.Shape, _ []byte) string {
		switch {
		case !i.reads(s):
			return ""
		case i.web:
			return webFormat
		case s.Has("messages") && !s.Has("$set") && !importer.HasEnding(f, ".jsonl"):
			return "object"
		}
		return "log"
	})
}

// webFormat says where a chat of Gemini's page comes from.
const webFormat = "browser-extension"

// reads tells the sessions of a reader: those of the page are the other's.
func (i Importer) reads(s importer.Shape) bool {
	return isSession(s) && (s.ItemText("projectHash") == webProject) == i.web
}

func isSession(s importer.Shape) bool {
	return s.Kind == '{' && s.Has("sessionId") && (s.Has("projectHash") || s.Has("startTime") && (s.Has("messages.type") || s.Has("type")))
}
