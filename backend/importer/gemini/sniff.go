package gemini

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"keepsake/backend/fault"
	"keepsake/backend/importer"
	"keepsake/backend/intake"
)

// Kinds of files.
const (
	rowsJSON  = "json"      // My Activity as JSON
	rowsHTML  = "html"      // My Activity as HTML
	strangers = "strangers" // My Activity without any record of Gemini
	gems      = "gems"
	scheduled = "scheduled" // scheduled actions
	workspace = "workspace" // Gemini in Workspace
	studio    = "studio"    // AI Studio
)

// Sniff recognises records of My Activity, Gems, and the other files of Gemini.
func (Importer) Sniff(ctx context.Context, tree *intake.Tree) (importer.Match, error) {
	s, err := look(ctx, tree, importer.Looks)
	if err != nil {
		return importer.Match{}, err
	}
	m := importer.Match{Certainty: importer.Certain, Missing: missingParts(tree.Sources())}
	for _, kind := range []string{rowsJSON, rowsHTML, workspace, studio, gems, scheduled} {
		if s.Has(kind) {
			m.Format = "takeout-" + kind
			return m, nil
		}
	}
	if s.Has(strangers) {
		m.Certainty, m.Format = importer.Possible, "takeout"
		m.Advice = fault.New(fault.Invalid, "takeout-without-gemini", "{name} is activity from Google, and nothing of it is of Gemini.").
			With("name", tree.Name()).
			Advise("In Google Takeout choose My Activity, and in it Gemini Apps, as JSON. If there are several parts, drop them together.")
		return m, nil
	}
	return importer.Match{}, nil
}

// look surveys a tree. Takeouts hold hundreds of thousands of other files: those
// that lie in a folder of Gemini's are looked into first.
func look(ctx context.Context, tree *intake.Tree, limit int) (*importer.Survey, error) {
	files := slices.Clone(tree.Files())
	slices.SortStableFunc(files, func(a, b intake.File) int { return cmp.Compare(rank(a.Path), rank(b.Path)) })
	isOne := func(f intake.File) bool { return isCandidate(f, len(files) == 1) }
	s, err := importer.SurveyFiles(files, limit, isOne, func(_ *importer.Survey, f intake.File) (string, bool, error) { return kindOf(ctx, tree, f) })
	if err != nil {
		return nil, fmt.Errorf("look at files: %w", err)
	}
	return s, nil
}

// isOurPlace knows folders and files that bear the product's name, which is not
// translated.
func isOurPlace(name string) bool {
	name = strings.ToLower(name)
	return strings.Contains(name, "gemini") || strings.Contains(name, "bard") || strings.Contains(name, "ai studio")
}

func rank(name string) int {
	if isOurPlace(name) {
		return 0
	}
	return 1
}

// isCandidate goes by the ending of a name. What photographs carry beside them
// (IMG.jpg.json) is never of Gemini.
func isCandidate(f intake.File, only bool) bool {
	base := strings.ToLower(f.Base())
	switch ending := path.Ext(base); ending {
	case ".json":
		return only || path.Ext(strings.TrimSuffix(base, ending)) == "" || isOurPlace(f.Path)
	case ".html", ".htm":
		return true
	case ".txt":
		return only || strings.HasPrefix(base, "conversation")
	case "":
		return true
	}
	return only || strings.Contains(strings.ToLower(f.Path), "ai studio")
}

// lookBytes of a page tell what it is.
const lookBytes = 64 << 10

// kindOf tells what one file is; cut says that it ends too early to tell.
func kindOf(ctx context.Context, tree *intake.Tree, f intake.File) (kind string, cut bool, err error) {
	head, err := beginning(ctx, tree, f, lookBytes)
	if err != nil {
		return "", false, err
	}
	if isPage(head) {
		return kindOfPage(ctx, tree, f, head)
	}
	shape, _, err := importer.LookAt(ctx, tree, f)
	switch {
	case err != nil:
		return "", false, err
	case shape.Kind == '[' && isRecord(shape):
		return whose(ctx, tree, f, rowsJSON)
	case shape.Has("conversation_turns"):
		return workspace, false, nil
	case shape.Has("chunkedPrompt"):
		return studio, false, nil
	}
	return "", shape.Cut, nil
}

// isRecord tells a record of activity. Descriptions of older layouts have some without a
// title.
func isRecord(s importer.Shape) bool {
	said := s.ItemHas("details") || s.ItemHas("userInteractions")
	return s.ItemHas("header") && (s.ItemHas("time") && (s.ItemHas("title") || said) || said && s.ItemHas("titleUrl"))
}

func isPage(head []byte) bool {
	head = bytes.TrimLeft(bytes.TrimPrefix(head, []byte("\xEF\xBB\xBF")), " \t\r\n")
	return bytes.HasPrefix(head, []byte("<"))
}

func kindOfPage(ctx context.Context, tree *intake.Tree, f intake.File, head []byte) (string, bool, error) {
	base := strings.ToLower(f.Base())
	switch {
	case bytes.Contains(head, []byte(outerCell)):
		return whose(ctx, tree, f, rowsHTML)
	case strings.Contains(base, "gems_data"), bytes.Contains(head, []byte("<b>Name:</b>")) && bytes.Contains(head, []byte("<b>Instructions:</b>")):
		return gems, false, nil
	case strings.Contains(base, "gemini_scheduled_actions"):
		return scheduled, false, nil
	}
	return "", false, nil
}

// whose tells activity of Gemini from that of other products: by its folder, or
// by the brand or an address of Gemini's somewhere in it.
func whose(ctx context.Context, tree *intake.Tree, f intake.File, kind string) (string, bool, error) {
	if isOurPlace(f.Path) {
		return kind, false, nil
	}
	found, err := contains(ctx, tree, f)
	if err != nil || !found {
		return strangers, false, err
	}
	return kind, false, nil
}

// brand are the words that stand in every record of Gemini, in any language.
var brand = regexp.MustCompile(`Gemini|Bard|(?:gemini|bard)\.google\.com`)

// contains goes over a file until the brand stands in it.
func contains(ctx context.Context, tree *intake.Tree, f intake.File) (bool, error) {
	body, err := tree.OpenText(ctx, f)
	if err != nil {
		return false, ctx.Err()
	}
	defer body.Close()
	const overlap = 32
	window := make([]byte, 256<<10)
	have := 0
	for {
		n, err := io.ReadFull(body, window[have:])
		have += n
		if brand.Match(window[:have]) {
			return true, nil
		}
		if err != nil {
			return false, ctx.Err() // a damaged file is told of when it is read
		}
		have = copy(window, window[have-overlap:have])
	}
}

// beginning is the head of a file; what cannot be read has none.
func beginning(ctx context.Context, tree *intake.Tree, f intake.File, size int64) ([]byte, error) {
	body, err := tree.OpenText(ctx, f)
	if err != nil {
		return nil, ctx.Err()
	}
	defer body.Close()
	head, err := io.ReadAll(io.LimitReader(body, size))
	if err != nil {
		return nil, ctx.Err()
	}
	return head, nil
}

// partName is how Takeout names the parts of one export; browsers add a mark to
// a second download.
var partName = regexp.MustCompile(`(?i)^(takeout-.*)-(\d{3,4})( ?\(\d+\))?\.(zip|tgz|tar\.gz)$`)

// missingParts names the parts that must be there because a later one is.
// Whether there are more after the last cannot be known.
func missingParts(sources []intake.Source) []string {
	type export struct {
		has    map[int]bool
		last   int
		ending string
	}
	exports := map[string]*export{}
	var order []string
	for _, s := range sources {
		m := partName.FindStringSubmatch(s.Name)
		if m == nil {
			continue
		}
		n, _ := strconv.Atoi(m[2])
		e := exports[m[1]]
		if e == nil {
			e = &export{has: map[int]bool{}, ending: m[4]}
			exports[m[1]] = e
			order = append(order, m[1])
		}
		e.has[n], e.last = true, max(e.last, n)
	}
	var missing []string
	for _, name := range order {
		for n := 1; n < exports[name].last; n++ {
			if !exports[name].has[n] {
				missing = append(missing, fmt.Sprintf("%s-%03d.%s", name, n, exports[name].ending))
			}
		}
	}
	return missing
}
