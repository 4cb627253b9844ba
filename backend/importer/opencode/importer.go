package opencode

import (
	"bytes"
	"context"
	"strings"

	"keepsake/backend/importer"
	"keepsake/backend/intake"
)

const platform = "opencode"

// Importer reads sessions of opencode. The zero value is ready.
type Importer struct {
	most int64 // bytes that are held of a session's files; 0 is as many as of any conversation
}

// Info names the reader.
func (Importer) Info() importer.Info {
	return importer.Info{ID: "opencode", Name: "opencode", Platform: platform, Version: "opencode/2026.12"}
}

// Sniff recognises an export by its messages and parts, and the folder by the ids in
// its files.
func (Importer) Sniff(ctx context.Context, tree *intake.Tree) (importer.Match, error) {
	return importer.MatchFirst(ctx, tree, []string{".json", ".txt"}, func(_ intake.File, s importer.Shape, head []byte) string {
		switch {
		case isExport(s, head):
			return "export"
		case kindOf(s) != "":
			return "storage"
		}
		return ""
	})
}

// statusLine begins the line that stands before the JSON in redirected output.
const statusLine = "Exporting session: "

// hasStatus reports a text that begins with it, after a byte order mark or none.
func hasStatus(head []byte) bool {
	return bytes.HasPrefix(bytes.TrimPrefix(head, []byte("\xEF\xBB\xBF")), []byte(statusLine))
}

func isExport(s importer.Shape, head []byte) bool {
	if hasStatus(head) {
		return true
	}
	return s.ItemHas("messages") && (strings.HasPrefix(s.ItemText("info.id"), "ses_") || s.ItemHas("messages.info.sessionID") && s.ItemHas("messages.parts"))
}

// kindOf says what a file of the folder holds by its id: "session", "message" or
// "part"; "" for any other file.
func kindOf(s importer.Shape) string {
	id, _, _ := strings.Cut(s.ItemText("id"), "_")
	switch {
	case s.Kind != '{':
	case id == "ses" && s.Has("projectID"):
		return "session"
	case id == "msg" && s.Has("sessionID") && s.Has("role"):
		return "message"
	case id == "prt" && s.Has("messageID") && s.Has("type"):
		return "part"
	}
	return ""
}
