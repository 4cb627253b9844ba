package importer

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"strings"

	"github.com/google/uuid"

	"keepsake/backend/fault"
	"keepsake/backend/intake"
)

// Registry is an ordered list of readers; earlier ones win ties.
type Registry []Importer

// Found is the reader that recognised a tree.
type Found struct {
	Importer Importer
	Match    Match
	// Others are the other readers that are certain of the same tree: it holds exports
	// of several providers, and one reader reads only its own.
	Others []Found
}

// Match asks every reader and returns the most certain; one of documents, which may
// be signed as a whole with all that lies beside them, before those of providers.
// Nobody recognising the tree is fault Unsupported, with what was looked at.
func (r Registry) Match(ctx context.Context, tree *intake.Tree) (Found, error) {
	ctx = withLooks(ctx)
	var best Found
	var certain []Found
	for _, im := range r {
		m, err := im.Sniff(ctx, tree)
		if err != nil {
			return Found{}, fmt.Errorf("sniff %s: %w", im.Info().ID, err)
		}
		if m.Certainty > best.Match.Certainty || m.Certainty == Certain && im.Info().Documents && !best.Importer.Info().Documents {
			best = Found{Importer: im, Match: m}
		}
		if m.Certainty == Certain {
			certain = append(certain, Found{Importer: im, Match: m})
		}
	}
	for _, other := range certain {
		if other.Importer.Info().ID != best.Importer.Info().ID {
			best.Others = append(best.Others, other)
		}
	}
	if best.Match.Certainty == None && isEmptyExport(ctx, tree) {
		return Found{}, fault.New(fault.Invalid, "export-holds-nothing", "{name} holds no conversations and no memories.").
			With("name", tree.Name()).
			Advise("Ask the provider for a new export, and drop the whole zip as it was downloaded.")
	}
	if best.Match.Certainty == None {
		is, err := whatElse(ctx, tree)
		if err != nil {
			return Found{}, err
		}
		if is != nil {
			return Found{}, is
		}
		if n := archives(tree); n > 0 {
			return Found{}, fault.New(fault.Unsupported, "archives-inside",
				"{name} is not an export that Keepsake reads; it holds archives ({count}), which were not looked into.").
				With("name", tree.Name()).With("count", n).
				Advise("Unpack it, and drop what is inside.")
		}
		return Found{}, fault.New(fault.Unsupported, "unknown-provider",
			"{name} is not an export that Keepsake reads yet.").
			With("name", tree.Name()).
			Advise("Drop the file exactly as it was downloaded. The Import screen lists what Keepsake reads; text of an assistant can be pasted there. Where you know whose it is, `keepsake import --provider` has that importer read it.")
	}
	return best, nil
}

// LooksLike names what a file of a tree could be read as by itself, or the program that
// it is of where nobody reads it; "" where neither can be told.
func (r Registry) LooksLike(ctx context.Context, tree *intake.Tree, f intake.File) string {
	found, err := r.Match(ctx, tree.Only(func(other intake.File) bool { return other == f }))
	switch {
	case err == nil && found.Match.Certainty == Certain:
		return found.Importer.Info().Name
	case err != nil:
		return fault.From(err).Args["provider"]
	}
	return ""
}

// archives counts the archives in a tree, by their names.
func archives(tree *intake.Tree) int {
	n := 0
	for _, f := range tree.Files() {
		name := strings.ToLower(f.Base())
		if strings.HasSuffix(name, ".zip") || strings.HasSuffix(name, ".tgz") || strings.HasSuffix(name, ".tar.gz") {
			n++
		}
	}
	return n
}

// isEmptyExport recognises the lists that several providers write, with nothing
// in them, and a file that is such a list: whose they are cannot be told, and does
// not matter.
func isEmptyExport(ctx context.Context, tree *intake.Tree) bool {
	const longest = 64 // bytes of an empty list with its white space
	files := tree.Match("conversations*.json")
	if len(tree.Files()) == 1 {
		files = tree.Files()
	}
	for _, f := range files {
		text, err := tree.ReadAll(ctx, f, longest)
		if list := string(bytes.TrimSpace(text)); err != nil || list != "[]" && list != "{}" {
			return false
		}
	}
	return len(files) > 0
}

// ByID returns the reader with that ID.
func (r Registry) ByID(id string) (Importer, bool) {
	for _, im := range r {
		if im.Info().ID == id {
			return im, true
		}
	}
	return nil, false
}

// conversations is the name space of conversation ids.
var conversations = uuid.NewSHA1(uuid.NameSpaceURL, []byte("keepsake/conversation"))

// ConversationID is the stable id of a provider's conversation: the same
// conversation in a newer export has the same id.
func ConversationID(platform, nativeID string) string {
	return uuid.NewSHA1(conversations, []byte(platform+"\x00"+nativeID)).String()
}

// Sum is the hash by which an unchanged raw element is recognised.
func Sum(raw []byte) [32]byte { return sha256.Sum256(raw) }
