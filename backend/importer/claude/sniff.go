package claude

import (
	"bytes"
	"context"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"keepsake/backend/fault"
	"keepsake/backend/importer"
	"keepsake/backend/importer/jsonstream"
	"keepsake/backend/intake"
)

// sniffFiles bounds how many files Sniff looks into once it knows the export.
const sniffFiles = 64

// smallFile is the most that is read of a file that names people or parts.
const smallFile = 16 << 20

// Sniff recognises an export by the names inside its JSON files.
func (Importer) Sniff(ctx context.Context, tree *intake.Tree) (importer.Match, error) {
	s, err := look(ctx, tree, sniffFiles)
	if err != nil {
		return importer.Match{}, fmt.Errorf("look at files: %w", err)
	}
	if !s.has(conversations, memories, projects, designs, manifest, users, frames) {
		return importer.Match{}, nil
	}
	m := importer.Match{Certainty: importer.Certain, Format: s.format(tree), Accounts: s.accounts}
	if m.Names, err = s.names(ctx, tree); err != nil {
		return importer.Match{}, err
	}
	if m.Missing, err = missingParts(ctx, tree, s); err != nil {
		return importer.Match{}, err
	}
	m.Whole = s.whole(tree, m.Missing)
	if !s.has(conversations, memories, projects, designs) && !s.has(cut) {
		m.Advice = s.advice(tree, m.Missing)
		if !s.has(manifest) && s.has(foreign) {
			m.Certainty = importer.Possible // somebody else may know the rest
		}
	}
	return m, nil
}

// numbered is a batch: whether there were others shows nowhere.
var numbered = regexp.MustCompile(`(?i)batch-\d+`)

// whole tells one export as it was downloaded: a single zip that is no batch, or
// all parts that a manifest lists.
func (s *survey) whole(tree *intake.Tree, missing []string) importer.Whole {
	one := len(tree.Sources()) == 1 && s.format(tree) == "single" && s.has(users) && !numbered.MatchString(tree.Sources()[0].Name)
	all := len(s.files[manifest]) == 1 && len(missing) == 0
	if !one && !all || s.has(cut) {
		return importer.Whole{}
	}
	return importer.Whole{Conversations: s.has(conversations), Memories: s.has(memories)}
}

// names are what users.json calls the accounts that the beginnings of files named.
func (s *survey) names(ctx context.Context, tree *intake.Tree) (map[string]string, error) {
	names := map[string]string{}
	for _, f := range s.files[users] {
		raw, err := tree.ReadAll(ctx, f, smallFile)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err != nil {
			continue // reading it says why
		}
		for v, err := range jsonstream.Elements(ctx, bytes.NewReader(raw), smallFile) {
			if err != nil {
				break
			}
			if id := importer.TextIn(v, "uuid"); slices.Contains(s.accounts, id) {
				names[id] = importer.Called(importer.TextIn(v, "full_name"), importer.TextIn(v, "email_address"))
			}
		}
	}
	return names, nil
}

// format names the layout: "single", "batches", "parts", "loose" or "manifest".
func (s *survey) format(tree *intake.Tree) string {
	data := s.has(conversations, memories, projects, designs)
	switch {
	case s.has(manifest) && !data:
		return "manifest"
	case len(tree.Files()) == 1 && tree.Files()[0].Path == tree.Sources()[0].Name:
		return "loose"
	case s.has(manifest), s.has(conversations) && !s.has(users, empty), !s.has(conversations):
		return "parts"
	case s.repeats():
		return "batches"
	}
	return "single"
}

// repeats reports conversations in several sources.
func (s *survey) repeats() bool {
	files := s.files[conversations]
	return len(files) > 1 && files[0].Source != files[len(files)-1].Source
}

// advice says why a recognised tree holds nothing to read.
func (s *survey) advice(tree *intake.Tree, missing []string) *fault.Error {
	switch {
	case s.has(manifest) && len(missing) == 0:
		return fault.New(fault.Invalid, "claude-parts-inside",
			"{name} holds the parts of a Claude export as zips inside of it.").With("name", tree.Name()).
			Advise("Open the folder and drop the zips themselves, all together.")
	case s.has(manifest):
		return fault.New(fault.Invalid, "claude-manifest",
			"{name} is not data: it is the list of the {count} files that your Claude export consists of ({parts}).").
			With("name", tree.Name()).With("count", len(missing)).With("parts", strings.Join(missing, ", ")).
			Advise("Download each of them from the page that Claude's mail leads to (every link works once, for a day), and drop them here together.")
	case s.has(frames):
		return fault.New(fault.Invalid, "claude-frames-only",
			"{name} is a part of a Claude export that holds published artifacts only.").
			With("name", tree.Name()).
			Advise("Drop it together with the conversations of the same export, so that each artifact finds its conversation.")
	case s.has(empty):
		return fault.New(fault.Invalid, "claude-empty", "{name} is a Claude export without any conversation, memory or project.").
			With("name", tree.Name()).
			Advise("If there should be some, ask Claude for a new export.")
	}
	return fault.New(fault.Invalid, "claude-account-only",
		"{name} is a part of a Claude export that holds account details only, nothing to remember.").
		With("name", tree.Name()).
		Advise("Drop the parts named conversations, memories and projects.")
}

// missingParts lists what a manifest names and the tree does not hold. The
// links in it are not looked at.
func missingParts(ctx context.Context, tree *intake.Tree, s *survey) ([]string, error) {
	var missing []string
	for _, f := range s.files[manifest] {
		raw, err := tree.ReadAll(ctx, f, smallFile)
		if err != nil {
			return nil, fmt.Errorf("read manifest: %w", err)
		}
		for _, name := range listed(ctx, raw) {
			if !holds(tree, name) && !slices.Contains(missing, name) {
				missing = append(missing, name)
			}
		}
	}
	return missing, nil
}

// listed are the file names of a manifest, safe to show.
func listed(ctx context.Context, raw []byte) []string {
	var names []string
	for v, err := range jsonstream.Elements(ctx, strings.NewReader(string(raw)), smallFile) {
		if err != nil {
			break
		}
		for _, part := range jsonstream.Items(jsonstream.Member(v, "data_files")) {
			if name := partName(part); name != "" {
				names = append(names, name)
			}
		}
	}
	return names
}

// fileName is what may stand in a sentence. Anything else, a link above all,
// is no name.
var fileName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._ ()-]{0,79}$`)

func partName(part jsontext.Value) string {
	name, _ := jsonstream.Text(jsonstream.Member(part, "filename"))
	if !fileName.MatchString(name) {
		return ""
	}
	return name
}

// copyMark is what browsers and file managers add to a second download.
var copyMark = regexp.MustCompile(` ?(\(\d+\)|- ?[Cc]opy)$`)

// holds reports whether a part is among the sources or files, unpacked or not.
func holds(tree *intake.Tree, part string) bool {
	want := bare(part)
	for _, s := range tree.Sources() {
		if bare(s.Name) == want {
			return true
		}
	}
	for _, f := range tree.Files() {
		for dir := f.Path; dir != "."; dir = path.Dir(dir) {
			if bare(path.Base(dir)) == want {
				return true
			}
		}
	}
	return false
}

// bare is a name without its extension and without a mark of a copy.
func bare(name string) string {
	name = strings.TrimSuffix(name, path.Ext(name))
	return strings.ToLower(copyMark.ReplaceAllString(name, ""))
}
