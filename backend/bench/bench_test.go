package bench

import (
	"bytes"
	"context"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strings"
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
		"f":  {{CPU: 1 * cpuStep, Wall: 10}, {CPU: 10 * cpuStep, Wall: 10}, {CPU: 2 * cpuStep, Wall: 10}},
		work: {{CPU: 3 * cpuStep, Wall: 5}, {CPU: 20 * cpuStep, Wall: 20}, {CPU: 8 * cpuStep, Wall: 40}},
	})
	if m.first() != 3 || m.wall("f") != 2 || m.work.CPU != 8*cpuStep || m.of("f").CPU != 2*cpuStep {
		t.Errorf("pairs: %v %v %+v", m.first(), m.wall("f"), m.work)
	}
	coarse := Row{Floors: []string{"f"}}.medians(map[string][]Figures{"f": {{}}, work: {{CPU: 4 * cpuStep}}})
	if coarse.first() != 4 {
		t.Errorf("over a floor that the clock counts as nothing: %v", coarse.first())
	}
}

// TestVerdicts: a limit is met by what is at most it; a figure that the system does not
// tell is not judged, nor is one over a time in which its clock did not move.
func TestVerdicts(t *testing.T) {
	nowhere := Row{}.medians(map[string][]Figures{work: {{}}})
	used := Row{}.medians(map[string][]Figures{work: {{Memory: true, Before: 10e6, Anon: 30e6}}})
	for want, goals := range map[string][]Goal{
		Met:    {atMost(5, "", 5), atMost(0, "", 0), used.memory(30), used.grown(20)},
		Missed: {atMost(5, "", 5.1), used.memory(29), used.grown(19)},
		Told:   {told("", 7)},
		Unsaid: {nowhere.memory(1), nowhere.grown(1), atMost(5, "", math.NaN()), atMost(5, "", math.Inf(1)), told("", math.Inf(1)), told("", math.NaN()).onlyIf(false)},
	} {
		for i, g := range goals {
			if g.Verdict != want {
				t.Errorf("%s %d: %+v", want, i, g)
			}
		}
	}
}

// TestAnswersOfACoarseClock: on Windows a side can be over before the clock moves, and the
// answer is printed as JSON, which has no infinity.
func TestAnswersOfACoarseClock(t *testing.T) {
	for _, row := range rows() {
		all := map[string][]Figures{}
		for name := range row.sides {
			all[name] = []Figures{{}}
		}
		answer := row.answer(Plan{Rounds: 1}, all)
		if _, err := json.Marshal(answer); err != nil || len(answer.Goals) == 0 {
			t.Errorf("%s: %d goals, %v", row.Name, len(answer.Goals), err)
		}
	}
}

// TestUnknownRow: what cannot be measured is refused before anything is made.
func TestUnknownRow(t *testing.T) {
	whole := Plan{Megabytes: 1, Memories: 1, Messages: 1, Rounds: 1}
	_, err := Run(context.Background(), Options{Names: []string{"nonsense"}, Plan: whole})
	if fault.CodeOf(err) != fault.Invalid || !strings.Contains(fault.From(err).Advice(), "import, ") {
		t.Error(err)
	}
	if _, err := Run(context.Background(), Options{Names: []string{"import"}}); err == nil {
		t.Error("no rounds are measured")
	}
}

// TestEveryRowIsWhole: each side that a row names is there, and each that is
// there is measured.
func TestEveryRowIsWhole(t *testing.T) {
	for _, r := range rows() {
		named := r.turns(Plan{Peer: []string{"program"}})
		for _, name := range named {
			if r.sides[name] == nil {
				t.Errorf("%s has no side %s", r.Name, name)
			}
		}
		if len(named) != len(r.sides) || r.prepare == nil || r.goals == nil {
			t.Errorf("%s: %d sides, %v are measured", r.Name, len(r.sides), named)
		}
	}
}

// TestImportsWhatWasPlanted: each generator's export is read with its counts.
func TestImportsWhatWasPlanted(t *testing.T) {
	for name, write := range map[string]func(string, Size) (Truth, error){"chatgpt": WriteExport, "claude": WriteClaude} {
		t.Run(name, func(t *testing.T) {
			ctx, dir := context.Background(), t.TempDir()
			path := filepath.Join(dir, "a.zip")
			truth, err := write(path, Size{Bytes: 400_000})
			if err != nil {
				t.Fatal(err)
			}
			s, err := service(ctx, dir, true)
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			r, err := read(ctx, s, path)
			if err != nil {
				t.Fatal(err)
			}
			if r.Conversations.New != truth.Conversations || r.Messages.New != truth.Messages || r.ProblemCount != 0 || len(r.Unknown) != 0 {
				t.Errorf("read %+v %+v, planted %+v; %v %v", r.Conversations, r.Messages, truth, r.Problems, r.Unknown)
			}
			if r.Sources[0].Provider != name {
				t.Errorf("taken for %s", r.Sources[0].Provider)
			}
		})
	}
}

// TestStringsEndAtTheirQuote: wherever a buffer ends between backslashes.
func TestStringsEndAtTheirQuote(t *testing.T) {
	for _, text := range []string{`"`, `ab"`, `a\"b"`, `\\"`, `a\\\"b\\"`, `\u4e00\""`} {
		for cut := range len(text) + 1 {
			slashes := 0
			n, closed := quote([]byte(text[:cut]), &slashes)
			if !closed {
				var more int
				more, closed = quote([]byte(text[cut:]), &slashes)
				n += more
			}
			if n != len(text) || !closed {
				t.Errorf("%s cut at %d: %d, %v", text, cut, n, closed)
			}
		}
	}
}

// TestSplitterOnSmallBuffers: how the bytes arrive changes nothing.
func TestSplitterOnSmallBuffers(t *testing.T) {
	text := `[{"a":"}\"{\\","b":{"c":1}} ,
{"d":"\\\""}]`
	for size := 1; size < 20; size++ {
		s := &splitter{r: strings.NewReader(text), buf: make([]byte, size)}
		var got []string
		for {
			element, err := s.next(nil)
			if err != nil {
				break
			}
			got = append(got, string(element))
		}
		if len(got) != 2 || got[0] != `{"a":"}\"{\\","b":{"c":1}}` || got[1] != `{"d":"\\\""}` {
			t.Errorf("%d bytes at a time: %q", size, got)
		}
	}
}

// TestMemoryIsTold: where there is /proc there are figures.
func TestMemoryIsTold(t *testing.T) {
	u, ok := memoryNow()
	if _, err := os.Stat("/proc/self/status"); err == nil != ok {
		t.Fatalf("told: %v, %v", ok, err)
	}
	if ok && (u.anon <= 0 || u.peak < u.anon) {
		t.Errorf("%+v", u)
	}
}

// TestSizeLeavesSnapshotsOut: they have a limit of their own.
func TestSizeLeavesSnapshotsOut(t *testing.T) {
	dir := t.TempDir()
	for path, size := range map[string]int{"vault.db": 100, "journal/000000000001": 20, "snapshots/000000000001/vault.db": 4000} {
		path = filepath.Join(dir, filepath.FromSlash(path))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, make([]byte, size), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if size, err := sizeOf(dir); size != 120 || err != nil {
		t.Errorf("%d bytes, want 120 (%v)", size, err)
	}
}
