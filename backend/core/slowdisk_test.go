package core_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"path"
	"slices"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"keepsake/backend/core"
	"keepsake/backend/fault"
	"keepsake/backend/importer/importertest/gen"
)

// slowDisk gives few bytes at a time, with a pause after each, and none of a
// bad sector.
type slowDisk struct {
	data    []byte
	pause   time.Duration
	bad     [2]int64 // from, to; the same is none
	reads   atomic.Int64
	reading func() // told of each read
}

func (d *slowDisk) ReadAt(p []byte, off int64) (int, error) {
	const few = 4096
	d.reads.Add(1)
	if d.reading != nil {
		d.reading()
	}
	end := min(off+int64(len(p)), int64(len(d.data)))
	if off < d.bad[1] && d.bad[0] < end {
		return 0, errors.New("input/output error")
	}
	for at := off; at < end && d.pause > 0; at += few {
		time.Sleep(d.pause) // this is the slowness that the test is about
	}
	n := copy(p, d.data[min(off, end):end])
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

func (d *slowDisk) Write([]byte) (int, error) { return 0, errors.ErrUnsupported }
func (d *slowDisk) Close() error              { return nil }

func (k *kit) on(d *slowDisk) []core.Input {
	return []core.Input{core.HoldUpload(k.Service, "export.zip", int64(len(d.data)), d)}
}

// TestSlowDiskTellsProgress: also while one conversation takes all the time
// there is, in each phase.
func TestSlowDiskTellsProgress(t *testing.T) {
	k := provider(t)
	data, truth := gen.LongMessage(3, 4<<20)
	d := &slowDisk{data: data, pause: 4 * time.Millisecond}
	said := map[core.Phase][]int64{}
	report, err := k.Import(ctx, k.on(d), core.ImportOptions{}, func(p core.Progress) {
		if p.Total != int64(len(data)) {
			t.Errorf("%+v, the zip has %d bytes", p, len(data))
		}
		if p.Done > 0 && p.Done < p.Total {
			said[p.Phase] = append(said[p.Phase], p.Done)
		}
	})
	if err != nil || report.Conversations.New != 1 || report.Messages.New != truth.Messages-truth.Empty {
		t.Fatalf("%v %+v", err, report)
	}
	for _, phase := range []core.Phase{core.PhaseRecognising, core.PhaseReading} {
		if far := said[phase]; len(far) < 3 || !slices.IsSorted(far) {
			t.Errorf("while %s it was told: %v", phase, far)
		}
	}
}

// TestSlowDiskIsLeftAtOnce: after the read in which it was stopped there is no
// other.
func TestSlowDiskIsLeftAtOnce(t *testing.T) {
	data, _ := gen.LongMessage(4, 4<<20)
	whole := &slowDisk{data: data}
	k := provider(t)
	ok(k.Import(ctx, k.on(whole), core.ImportOptions{}, nil))
	all := whole.reads.Load()
	for _, at := range []int64{2, all / 3, 3 * all / 4, all - 2} { // looking, summing, reading
		k := provider(t)
		stopped, stop := context.WithCancel(ctx)
		d := &slowDisk{data: data}
		d.reading = func() {
			if d.reads.Load() == at {
				stop()
			}
		}
		_, err := k.Import(stopped, k.on(d), core.ImportOptions{}, nil)
		wantFault(t, err, fault.Cancelled, "import-cancelled")
		if more := d.reads.Load() - at; more > 0 {
			t.Errorf("stopped in read %d of %d, and then there were %d more", at, all, more)
		}
		if st := k.state(); st.Conversations != 0 {
			t.Errorf("kept: %+v", st)
		}
	}
}

// TestBadSector: a disk that fails in the middle of the conversations leaves
// whole ones and says so; the same file, once it can be read, completes them.
func TestBadSector(t *testing.T) {
	data, truth := gen.ChatGPT(gen.ChatGPTOptions{Seed: 5, Conversations: 300, Bare: true})
	k := provider(t)
	d := &slowDisk{data: data, bad: [2]int64{int64(len(data)) / 2, int64(len(data))/2 + 1}}
	report, err := k.Import(ctx, k.on(d), core.ImportOptions{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	addsUp(t, report)
	kept := k.state().Conversations
	if kept == 0 || kept >= 300 || report.State != "partial" || report.Conversations.New != kept {
		t.Fatalf("kept %d: %+v", kept, report)
	}
	p := report.Problems
	if len(p) != 2 || p[0].Reason != "disk-failed" || p[1].Reason != "import-broke-off" || p[1].Args["conversations"] != strconv.Itoa(kept) {
		t.Errorf("problems: %+v", p)
	}
	d.bad = [2]int64{}
	again := ok(k.Import(ctx, k.on(d), core.ImportOptions{}, nil))
	if again.Conversations.New != 300-kept || again.Conversations.Unchanged != kept || again.State != "done" || len(again.Problems) != 0 {
		t.Errorf("the next time: %+v %+v", again.Conversations, again.Problems)
	}
	k.holds(truth)
}

// TestBadSectorInAnyExport: what stands before it is read, and once the whole of it was
// imported at most the conversation at that place is there twice.
func TestBadSectorInAnyExport(t *testing.T) {
	stored := func(name string, data []byte) []byte {
		return gen.Zip([]gen.File{{Name: name, Data: data, Store: true}})
	}
	takeout := func(o gen.TakeoutOptions) []byte {
		o.Seed, o.Turns = 3, 3
		files, _ := gen.Takeout(o)
		i := slices.IndexFunc(files, func(f gen.File) bool { return len(f.Data) > 100_000 })
		return stored(path.Base(files[i].Name), files[i].Data)
	}
	table, _ := gen.Copilot(5, 1200, "a")
	entry := func(zip []byte) []byte { // its largest file
		largest := ""
		files := unzipped(t, fresh(t).file("export.zip", zip))
		for name, text := range files {
			if len(text) > len(files[largest]) {
				largest = name
			}
		}
		return stored(largest, files[largest])
	}
	grok, _ := gen.Grok(gen.GrokOptions{Seed: 3, Conversations: 600})
	deepSeek, _ := gen.DeepSeek(3, 1000, false)
	claude, _ := gen.Claude(gen.ClaudeOptions{Seed: 3, Conversations: 200})
	for name, data := range map[string][]byte{
		"copilot": stored("history.csv", table), "gemini in HTML": takeout(gen.TakeoutOptions{Layout: "html", Bare: true, Conversations: 400}), "gemini in JSON": takeout(gen.TakeoutOptions{Bare: true, Conversations: 1000}),
		"grok": entry(grok), "deepseek": entry(deepSeek), "claude": entry(claude),
	} {
		t.Run(name, func(t *testing.T) {
			whole := provider(t)
			ok(whole.Import(ctx, whole.on(&slowDisk{data: data}), core.ImportOptions{}, nil))
			k := provider(t)
			d := &slowDisk{data: data, bad: [2]int64{int64(len(data)) / 2, int64(len(data))/2 + 1}}
			report, err := k.Import(ctx, k.on(d), core.ImportOptions{}, nil)
			if p := report.Problems; err != nil || len(p) == 0 || p[0].Reason != "disk-failed" || report.Conversations.New == 0 {
				t.Fatalf("%v, %d conversations, problems: %+v", err, report.Conversations.New, p)
			}
			d.bad = [2]int64{}
			ok(k.Import(ctx, k.on(d), core.ImportOptions{}, nil))
			if n, all := k.state().Conversations, whole.state().Conversations; n < all || n > all+1 {
				t.Errorf("%d conversations of %d", n, all)
			}
		})
	}
}

// TestBadSectorInAnAttachment: its message is kept without it, and the same file
// is not taken for known until the attachment is there, too.
func TestBadSectorInAnAttachment(t *testing.T) {
	data, truth := gen.ManyFiles(6, 40, 10, 8000)
	sector := int64(bytes.LastIndex(data[:len(data)/2], []byte("\x89PNG"))) + 1000
	k := provider(t)
	d := &slowDisk{data: data, bad: [2]int64{sector, sector + 1}}
	report, err := k.Import(ctx, k.on(d), core.ImportOptions{}, nil)
	if err != nil {
		t.Fatalf("%v: %+v", err, report)
	}
	if report.State != "partial" || !report.Unfinished || report.Attachments.Stored != 39 || report.Messages.New != truth.Messages-truth.Empty {
		t.Fatalf("%+v", report)
	}
	if !slices.ContainsFunc(report.Problems, func(p core.ReportProblem) bool { return p.Reason == "disk-failed" }) {
		t.Errorf("problems: %+v", report.Problems)
	}
	d.bad = [2]int64{}
	again := ok(k.Import(ctx, k.on(d), core.ImportOptions{}, nil))
	if again.State != "done" || again.Attachments.Stored != 1 || again.Attachments.Missing != 0 || k.blobs() != 40 {
		t.Errorf("the next time: %+v, %d files", again, k.blobs())
	}
	if third := ok(k.Import(ctx, k.on(d), core.ImportOptions{}, nil)); third.Identical == "" {
		t.Errorf("the third time: %+v", third)
	}
	k.holds(truth)
}
