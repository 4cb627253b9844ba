package gemini

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/net/html"

	"keepsake/backend/fault"
	"keepsake/backend/importer"
	"keepsake/backend/memory"
)

var workspaceName = regexp.MustCompile(`(?i)^conversation_([A-Za-z0-9_-]+)\.txt$`)

// maxGems is the most that is read of the page of Gems, in bytes.
const maxGems = 16 << 20

// instructions are what the label of a Gem's instructions begins with; where
// none does, the longest text of a Gem is taken for them.
var instructions = regexp.MustCompile(`(?i)^(instr|anweis|istruz|инстр|інстр|οδηγ|说明|指示)`)

// readGems gives the instructions of each Gem as a memory.
func (r *reading) readGems(s *importer.Survey) error {
	for _, f := range s.Files[gems] {
		page, err := r.Tree.ReadText(r.Ctx, f, maxGems)
		if err != nil {
			if err := r.Break(err); err != nil {
				return err
			}
			continue
		}
		root, err := html.Parse(strings.NewReader(strings.ToValidUTF8(string(page), "\uFFFD")))
		if err != nil || !bytes.Contains(bytes.ToLower(page), []byte("</html>")) {
			r.Notice(f, fault.New(fault.Invalid, "gems-truncated",
				"{name} is not a whole page; what could be read of your Gems was read.").With("name", f.Path).Advise("Download the export again."))
		}
		if err != nil {
			continue
		}
		count := map[string]int{}
		for _, gem := range gemsOf(root) {
			count[gem.name]++
			if err := r.gem(gem, count[gem.name]); err != nil {
				return err
			}
		}
	}
	return nil
}

// gem is one Gem of the page.
type gem struct{ name, told string }

func (r *reading) gem(g gem, n int) error {
	if g.told == "" {
		r.Sink.Skipped("gem-without-instructions")
		return nil
	}
	return r.Remember(importer.MemoryDraft{
		SourceKey: fmt.Sprintf("gem:%s:%d", importer.ConversationID(platform, "gem\x00"+g.name), n),
		Type:      memory.Instruction, Content: g.told, Method: memory.ExplicitUserInput, Confidence: 0.95,
		Metadata: map[string]any{"gem": g.name},
	})
}

// gemsOf reads pairs of a bold label and a text. The first label is that of the
// name, in any language; where it comes again another Gem begins.
func gemsOf(root *html.Node) (all []gem) {
	first, longest := "", ""
	found := false // by its label
	for _, pair := range labelled(root) {
		if first == "" {
			first = pair.label
		}
		if pair.label == first {
			all = append(all, gem{name: importer.Line(pair.text)})
			longest, found = "", false
			continue
		}
		g := &all[len(all)-1]
		switch {
		case instructions.MatchString(pair.label):
			g.told, found = pair.text, true
		case !found && len(pair.text) > len(longest):
			g.told, longest = pair.text, pair.text
		}
	}
	return all
}

type pair struct{ label, text string }

// labelled lists bold labels that end in a colon, with the text up to the next.
func labelled(root *html.Node) (all []pair) {
	var text strings.Builder
	end := func() {
		if len(all) > 0 {
			all[len(all)-1].text = strings.TrimSpace(text.String())
		}
		text.Reset()
	}
	for n := range root.Descendants() {
		switch {
		case isLabel(n):
			end()
			all = append(all, pair{label: strings.TrimSuffix(strings.TrimSpace(textOf(n)), ":")})
		case n.Type == html.TextNode && !isLabel(n.Parent):
			text.WriteString(n.Data)
		case n.Type == html.ElementNode && isBlock(n.Data):
			text.WriteByte('\n')
		}
	}
	end()
	return all
}

func isLabel(n *html.Node) bool {
	return n != nil && n.Data == "b" && strings.HasSuffix(strings.TrimSpace(textOf(n)), ":")
}

// joined puts texts one below the other, empty ones left out.
func joined(all []string) string {
	return strings.Join(slices.DeleteFunc(all, func(s string) bool { return strings.TrimSpace(s) == "" }), "\n\n")
}
