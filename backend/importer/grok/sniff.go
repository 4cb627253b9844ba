package grok

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"regexp"
	"strings"

	"keepsake/backend/fault"
	"keepsake/backend/importer"
	"keepsake/backend/intake"
)

// Kinds of files.
const (
	backend = "backend" // prod-grok-backend.json
	account = "account" // who the person is, what was paid
	archive = "archive" // data/grok-chat-item.js of an X archive
	asset   = "asset"   // prod-mc-asset-server/<uuid>/content
)

// Sniff recognises the double wrapping of conversations, or the assignment that
// an X archive begins with.
func (Importer) Sniff(ctx context.Context, tree *intake.Tree) (importer.Match, error) {
	s, err := look(ctx, tree, importer.Looks)
	if err != nil {
		return importer.Match{}, fmt.Errorf("look at files: %w", err)
	}
	m := importer.Match{Certainty: importer.Certain, Accounts: s.Accounts}
	switch {
	case s.Has(backend):
		m.Format = "export"
		m.Whole.Conversations = s.Has(account) && len(s.Files[backend]) == 1 && len(s.Cut) == 0 && len(tree.Sources()) == 1
	case s.Has(archive):
		m.Format = "x-archive"
	case len(tree.Match("prod-grok-backend.json")) > 0:
		m.Format = "export"
		m.Advice = fault.New(fault.Invalid, "grok-empty", "{name} is a Grok export without any conversation.").
			With("name", tree.Name()).Advise("If there should be some, ask Grok for a new export.")
	default:
		return importer.Match{}, nil
	}
	return m, nil
}

// look surveys a tree: JSON files by their shape, scripts by how they begin.
func look(ctx context.Context, tree *intake.Tree, limit int) (*importer.Survey, error) {
	s, err := importer.SurveyTree(ctx, tree, limit, kindOf)
	if err != nil {
		return nil, err
	}
	s.SortOthers(func(f intake.File) string {
		switch {
		case assetID(f.Path) != "":
			return asset
		case isArchive(ctx, tree, s, f):
			return archive
		}
		return ""
	})
	return s, ctx.Err()
}

func kindOf(found *importer.Survey, f intake.File, s importer.Shape) string {
	switch {
	case s.Has("conversations.conversation") && s.Has("conversations.responses"):
		found.Account(s.ItemText("conversation.user_id"))
		return backend
	case f.Base() == "prod-mc-auth-mgmt-api.json", f.Base() == "prod-mc-billing.json":
		return account
	}
	return ""
}

// assetID is the id of an upload, "" for any other file.
func assetID(path string) string {
	_, rest, ok := strings.Cut("/"+path, "/prod-mc-asset-server/")
	id, file, _ := strings.Cut(rest, "/")
	if !ok || file != "content" {
		return ""
	}
	return id
}

// assignment is what a file of an X archive begins with; its value follows.
var assignment = []byte("window.YTD.grok_chat_item")

// accountID is whose chats they are.
var accountID = regexp.MustCompile(`"accountId"\s*:\s*"(\d+)"`)

// isArchive looks whether a script is the list of chats of an X archive. The
// archive holds hundreds of scripts beside it, told apart by their names.
func isArchive(ctx context.Context, tree *intake.Tree, s *importer.Survey, f intake.File) bool {
	only := len(tree.Files()) == 1
	if !only && !strings.HasPrefix(f.Base(), "grok-chat-item") {
		return false
	}
	body, err := tree.OpenText(ctx, f)
	if err != nil {
		return false
	}
	defer body.Close()
	head := make([]byte, 4<<10)
	n, _ := io.ReadFull(body, head)
	if !bytes.HasPrefix(bytes.TrimPrefix(head[:n], []byte("\xEF\xBB\xBF")), assignment) {
		return false
	}
	if id := accountID.FindSubmatch(head[:n]); id != nil {
		s.Account(string(id[1]))
	}
	return true
}
