package bench

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"keepsake/backend/fault"
)

// TestLibrary: what the generator plants is what the vault holds.
func TestLibrary(t *testing.T) {
	dir := t.TempDir()
	if err := library(context.Background(), dir, Plan{Memories: 60, Messages: 500}); err != nil {
		t.Fatal(err)
	}
}

// TestExportsAreTheSame: the same size gives the same bytes, and another note
// the same conversations.
func TestExportsAreTheSame(t *testing.T) {
	dir := t.TempDir()
	var texts [][]byte
	var truths []Truth
	for i, note := range []string{"", "", "note"} {
		path := filepath.Join(dir, string(rune('a'+i)))
		truth, err := WriteExport(path, Size{Bytes: 300_000, Memories: 5, Note: note})
		if err != nil {
			t.Fatal(err)
		}
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		texts, truths = append(texts, text), append(truths, truth)
		if err := inflate(path); err != nil {
			t.Error(err)
		}
	}
	if !bytes.Equal(texts[0], texts[1]) || bytes.Equal(texts[0], texts[2]) || truths[0] != truths[2] || truths[0].Memories != 5 {
		t.Errorf("%+v", truths)
	}
}

// TestParseFindsEveryText: the floor walks over every message that was planted.
func TestParseFindsEveryText(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.zip")
	truth, err := WriteExport(path, Size{Bytes: 2_000_000})
	if err != nil {
		t.Fatal(err)
	}
	found, elements, err := parsed(path)
	if err != nil || found != truth.Messages || elements != truth.Conversations {
		t.Errorf("%d texts in %d conversations, planted %d in %d (%v)", found, elements, truth.Messages, truth.Conversations, err)
	}
}

func TestStatistics(t *testing.T) {
	if middle([]float64{3, 1, 2}) != 2 || middle([]float64{4, 1, 2, 3}) != 2.5 || middle(nil) != 0 {
		t.Error("middle")
	}
	var all []time.Duration
	for i := 1; i <= 100; i++ {
		all = append(all, time.Duration(i))
	}
	if quantile(all, 0.5) != 50 || quantile(all, 0.95) != 95 || quantile(all, 1) != 100 || quantile(all[:1], 0.95) != 1 || quantile(nil, 0.5) != 0 {
		t.Error("quantile")
	}
	m := Row{Floors: []string{"f"}}.medians(map[string][]Figures{
		"f":  {{CPU: 1, Wall: 10}, {CPU: 10, Wall: 10}, {CPU: 2, Wall: 10}},
		work: {{CPU: 3, Wall: 5}, {CPU: 20, Wall: 20}, {CPU: 8, Wall: 40}},
	})
	if m.first() != 3 || m.wall("f") != 2 || m.work.CPU != 8 || m.floors["f"].CPU != 2 {
		t.Errorf("pairs: %v %v %+v", m.first(), m.wall("f"), m.work)
	}
}

func TestGoals(t *testing.T) {
	if !(Goal{Value: 5}).Met() || !(Goal{Value: 5, Limit: 5}).Met() || (Goal{Value: 6, Limit: 5}).Met() {
		t.Error("goals")
	}
}

func TestUnknownRow(t *testing.T) {
	_, err := Run(context.Background(), Options{Names: []string{"nonsense"}})
	if fault.CodeOf(err) != fault.Invalid {
		t.Error(err)
	}
}
