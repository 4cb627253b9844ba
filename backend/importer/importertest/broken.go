package importertest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"
	"testing"

	"keepsake/backend/fault"
	"keepsake/backend/importer"
	"keepsake/backend/importer/importertest/gen"
)

// cuts is at how many places a fixture is cut; what lies in a zip shares as many
// once more, by size, and each entry has a tenth of that at least.
const cuts = 200

// checkTruncated cuts each JSON file, and each zip as a whole, at many places.
// Nothing may be read that the whole does not hold, and the reading must end
// with an error, or with a problem where other files could be read. As many items as the
// error says were read must be given, or left out for a reason.
func checkTruncated(t *testing.T, im importer.Importer, f Fixture, whole *Recording) {
	for i, file := range f.Files {
		eachCut(file.Data, cuts, func(part []byte) { checkCut(t, im, f, whole, i, part, file.Name, f.endsWell(part)) })
		if !isZip(file) {
			continue
		}
		entries, total := gen.Unzip(file.Data), 1
		for k, e := range entries {
			entries[k].Store = true // nothing is gained by packing it 200 times
			total += len(e.Data)
		}
		for k, e := range entries {
			if ext := strings.ToLower(path.Ext(e.Name)); ext != ".json" && (f.Cut == CutJSON || ext != ".jsonl") {
				continue
			}
			eachCut(e.Data, max(cuts/10, cuts*len(e.Data)/total), func(part []byte) {
				again := slices.Clone(entries)
				again[k].Data = part
				checkCut(t, im, f, whole, i, gen.Zip(again), e.Name, f.endsWell(part))
			})
		}
	}
}

// eachCut gives that many beginnings of data, from none of it on, and those that
// lack its last characters.
func eachCut(data []byte, places int, give func([]byte)) {
	said := len(bytes.TrimSpace(data))
	for i := range min(places, said) {
		give(data[:i*said/min(places, said)])
	}
	for n := max(0, said-3); n < said; n++ {
		give(data[:n])
	}
}

func checkCut(t *testing.T, im importer.Importer, f Fixture, whole *Recording, i int, data []byte, name string, unseen bool) {
	t.Helper()
	files := append([]gen.File{}, f.Files...)
	files[i].Data = data
	tree, err := Fixture{Files: files}.Open()
	if err != nil {
		return // refused before any reader saw it
	}
	defer tree.Close()
	m, err := im.Sniff(t.Context(), tree)
	if err != nil || m.Certainty == importer.None || m.Advice != nil {
		return // nobody would read it
	}
	got := &Recording{}
	err = im.Read(t.Context(), tree, got.Sink())
	told := err != nil || slices.ContainsFunc(got.Problems, func(p Problem) bool { return !slices.Contains(whole.Problems, p) })
	if !told && !slices.Contains(f.Unread, path.Base(name)) && !unseen {
		t.Errorf("%s cut (%d bytes of %s left) is read without a word", name, len(data), f.Files[i].Name)
	}
	if why := fault.From(err); why != nil {
		if said, _ := strconv.Atoi(why.Args["count"]); said > got.accounted() {
			t.Errorf("%s cut: %d items are said to be read, and %d are: %s", name, said, got.accounted(), why.Message())
		}
	}
	if f.Rows {
		checkRows(t, whole, got)
		return
	}
	checkWithin(t, f.Cut, whole, got, fmt.Sprintf("%s cut after %d bytes", name, len(data)))
}

// endsWell reports a cut that no reader can notice.
func (f Fixture) endsWell(data []byte) bool {
	switch f.Cut {
	case CutText:
		return true
	case CutLines, CutLog:
		return len(data) == 0 || strings.ContainsRune("}\r\n", rune(data[len(data)-1]))
	}
	return false
}

// checkWithin holds that nothing was read that the whole does not hold.
func checkWithin(t *testing.T, cut Cut, whole, got *Recording, where string) {
	t.Helper()
	for _, c := range got.Conversations {
		w := whole.Conversation(c.Provider.ConversationID)
		if cut != CutLog && (w == nil || said(*w) != said(c) && !(cut == CutLines && strings.HasPrefix(said(*w), said(c)))) {
			t.Errorf("%s: conversation %s is not as it is in the whole", where, c.Provider.ConversationID)
		}
	}
	contents := whole.Contents()
	for _, m := range got.Memories {
		if slices.Contains(contents, m.Content) {
			continue
		}
		if cut == CutText {
			cut = CutJSON // one may be cut itself
		} else {
			t.Errorf("%s: %q is remembered, and nowhere in the whole", where, m.Content)
		}
	}
}

// checkRows holds that every text read begins one of the whole.
func checkRows(t *testing.T, whole, got *Recording) {
	t.Helper()
	var texts []string
	for _, c := range whole.Conversations {
		for _, m := range c.Messages {
			texts = append(texts, m.Content.PlainText())
		}
	}
	for _, c := range got.Conversations {
		for _, m := range c.Messages {
			said := m.Content.PlainText()
			if !slices.ContainsFunc(texts, func(s string) bool { return strings.HasPrefix(s, said) }) {
				t.Errorf("%q is read, and nowhere in the whole", said)
			}
		}
	}
}

// checkCancelled cancels after every item in turn: the reading ends with the
// context's error, and soon.
func checkCancelled(t *testing.T, im importer.Importer, f Fixture) {
	for after := 0; ; after++ {
		ctx, cancel := context.WithCancel(t.Context())
		count, late := 0, 0
		r := &Recording{Step: func() error {
			if count >= after {
				cancel()
				late++
			}
			count++
			return ctx.Err()
		}}
		err := im.Read(ctx, f.Tree(t), r.Sink())
		cancel()
		if count <= after {
			return // read to its end before
		}
		if !errors.Is(err, context.Canceled) || late > 1 {
			t.Fatalf("cancelled after %d items: %v, %d items more", after, err, late-1)
		}
	}
}

var errFull = errors.New("the disk is full")

// checkSinkErrors lets each item fail in turn: that error comes back, at once.
func checkSinkErrors(t *testing.T, im importer.Importer, f Fixture) {
	for at := 0; ; at++ {
		count := 0
		r := &Recording{Step: func() error {
			if count++; count > at {
				return errFull
			}
			return nil
		}}
		err := im.Read(t.Context(), f.Tree(t), r.Sink())
		if count <= at {
			return
		}
		if !errors.Is(err, errFull) || count != at+1 {
			t.Fatalf("item %d failed: %v after %d items", at, err, count)
		}
	}
}
