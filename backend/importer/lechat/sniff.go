package lechat

import (
	"context"
	"fmt"
	"path"
	"strings"

	"keepsake/backend/importer"
	"keepsake/backend/intake"
)

// Kinds of files.
const (
	chat     = "chat"
	uploaded = "uploaded"
)

// Sniff recognises lists of messages that name their chat.
func (Importer) Sniff(ctx context.Context, tree *intake.Tree) (importer.Match, error) {
	s, err := look(ctx, tree, importer.Looks)
	if err != nil || !s.Has(chat) {
		return importer.Match{}, err
	}
	return importer.Match{Certainty: importer.Certain, Format: "export"}, nil
}

func look(ctx context.Context, tree *intake.Tree, limit int) (*importer.Survey, error) {
	s, err := importer.SurveyTree(ctx, tree, limit, kindOf)
	if err != nil {
		return nil, fmt.Errorf("look at files: %w", err)
	}
	s.SortOthers(func(f intake.File) string { return kindOf(s, f, importer.Shape{}) })
	return s, nil
}

func kindOf(_ *importer.Survey, f intake.File, s importer.Shape) string {
	switch {
	case isUpload(f.Path): // an upload may be JSON itself
		return uploaded
	case s.Kind == '[' && s.ItemHas("chatId") && s.ItemHas("role") && (s.ItemHas("content") || s.ItemHas("contentChunks")):
		return chat
	}
	return ""
}

// isUpload knows the folder of a chat's files.
func isUpload(name string) bool {
	dir := path.Base(path.Dir(name))
	return strings.HasPrefix(dir, "chat-") && strings.HasSuffix(dir, "-files")
}
