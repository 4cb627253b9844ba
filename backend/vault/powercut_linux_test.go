package vault_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"keepsake/backend/fault"
	"keepsake/backend/vault"
)

// imageCount is what became of the images of a disk.
type imageCount struct {
	mu                                                  sync.Mutex
	images, early, refused, unreadable, lost, recovered int
	traces                                              int // images with something that was forgotten
	first                                               map[string]string
}

func (n *imageCount) miss(counter *int, kind, what string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	*counter++
	if n.first == nil {
		n.first = map[string]string{}
	}
	if n.first[kind] == "" {
		n.first[kind] = what
	}
}

// Promise (row 9): a power cut at any moment of a session, with any part of
// what was not flushed on the disk, whole or torn at 512 bytes, costs nothing
// that was confirmed: the vault opens by itself. Before its creation was
// confirmed it may be missing, which is said in a sentence. And what was
// forgotten stays so.
func TestPowerCuts(t *testing.T) {
	needStrace(t)
	root := fastFolder(t)
	const until = sessionKinds + 9
	ops, _ := record(t, "session", filepath.Join(root, "vault"), root, sessionUntil+"="+fmt.Sprint(until))
	states := sessionStates(until)
	var n imageCount
	points := replayed(t, ops, newFolder(), sized(5000, 200_000), func(im image) { n.session(t, im, states) })
	n.report(t, len(ops), points)
}

// image is a disk after a power cut.
type image struct {
	dir  string // holds what the root held
	what string // which image it is
	said sessionSaid
	late bool // check more than the usual
}

// replayed makes about so many images of a disk, at each moment of a trace some,
// and hands them to check, two at a time. It returns the number of moments.
func replayed(t *testing.T, ops []diskOp, start *node, images int, check func(image)) (points int) {
	t.Helper()
	for _, op := range ops {
		if op.kind != "open" {
			points++
		}
	}
	d := &disk{root: start, files: map[int]*node{}}
	said := sessionSaid{confirmed: -1}
	folder, r, owed, made := fastFolder(t), rand.New(rand.NewPCG(9, 9)), 0, 0
	var wg sync.WaitGroup
	free := make(chan struct{}, 2)
	for i, op := range ops {
		if err := d.do(op); err != nil {
			t.Fatalf("operation %d: %v", i, err)
		}
		if op.kind == "say" {
			if err := said.hearAll(string(op.data)); err != nil {
				t.Fatal(err)
			}
		}
		if op.kind == "open" {
			continue
		}
		for owed += images; owed >= points; owed -= points {
			how := cuts[made%len(cuts)]
			im := image{dir: filepath.Join(folder, fmt.Sprint(made)), said: said, late: r.IntN(8) == 0}
			im.what = fmt.Sprintf("image %d after operation %d (%s %s), %s, confirmed %d", made, i, op.kind, op.path, how.name, said.confirmed)
			free <- struct{}{}
			if err := d.image(im.dir, how, r); err != nil {
				t.Fatal(err)
			}
			made++
			wg.Go(func() {
				check(im)
				_ = os.RemoveAll(im.dir)
				<-free
			})
		}
	}
	wg.Wait()
	return points
}

// session checks the image of a session.
func (n *imageCount) session(t *testing.T, im image, states []contained) {
	dir := filepath.Join(im.dir, "vault")
	n.mu.Lock()
	n.images++
	n.mu.Unlock()
	if len(im.said.gone) > 0 && im.said.confirmed >= 6 {
		if where, err := tracesIn(im.dir, im.said.gone); where != "" || err != nil {
			n.miss(&n.traces, "forgotten", fmt.Sprint(im.what, ": ", strings.TrimPrefix(where, im.dir), err))
		}
	}
	if im.said.confirmed < 0 {
		n.beforeFirst(im, dir, states)
		return
	}
	_, err := checkSession(dir, states, im.said.confirmed, im.said.begun)
	if err == nil && im.late {
		err = goesOn(dir)
	}
	switch {
	case err == nil:
	case errors.Is(err, errLost):
		n.miss(&n.lost, "lost", fmt.Sprint(im.what, ": ", err))
	default:
		n.miss(&n.unreadable, "unreadable", fmt.Sprintf("%s: %v (%v)", im.what, err, errors.Unwrap(err)))
		if _, err := vault.Recover(context.Background(), dir, clock, false, byPassphrase()); err == nil {
			if _, err = checkSession(dir, states, im.said.confirmed, im.said.begun); err == nil {
				n.miss(&n.recovered, "", "")
			}
		}
	}
}

// goesOn holds that an image that opened can be written to and opened again.
func goesOn(dir string) error {
	for range 2 {
		v, err := unlocked(dir)
		if err != nil {
			return err
		}
		err = errors.Join(v.Thaw(), v.Update(func(tx *vault.Tx) error { return tx.Put(vault.Memories, "after", day, bytes.Repeat([]byte("x"), 3000)) }))
		if err := errors.Join(err, v.Close()); err != nil {
			return err
		}
	}
	return nil
}

// beforeFirst is an image of before the creation was confirmed.
func (n *imageCount) beforeFirst(im image, dir string, states []contained) {
	n.mu.Lock()
	n.early++
	n.mu.Unlock()
	_, err := checkSession(dir, states, 0, 0)
	var f *fault.Error
	switch {
	case err == nil:
	case errors.As(err, &f) && f.Code != fault.Internal && f.Message() != "" && f.Advice() != "":
		n.miss(&n.refused, "", "")
	default:
		n.miss(&n.unreadable, "unreadable", fmt.Sprintf("%s: no sentence: %v (%v)", im.what, err, errors.Unwrap(err)))
	}
}

func (n *imageCount) report(t *testing.T, ops, points int) {
	t.Helper()
	t.Logf("%d images at %d moments of %d operations: %d lost, %d unreadable (of which %d recovered), %d with something forgotten; %d of before the first commit, %d of them refused in a sentence",
		n.images, points, ops, n.lost, n.unreadable, n.recovered, n.traces, n.early, n.refused)
	delete(n.first, "")
	for kind, what := range n.first {
		t.Errorf("%s, first: %s", kind, what)
	}
}
