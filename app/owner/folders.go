package owner

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"os"
	"slices"
	"time"

	"keepsake/app/clients"
	"keepsake/app/downloads"
	"keepsake/app/folderwatch"
	"keepsake/app/sessions"
	"keepsake/backend/core"
)

// folderTaker takes sessions from the folders that the person has watched. It keeps nothing of what it
// sees: the vault knows up to which modification time the sessions of a folder were taken, so that a scan
// finds those written meanwhile, and a file notification only triggers a scan.
type folderTaker struct {
	service *core.Service
	saves   func() bool
	settled time.Duration
	look    chan struct{} // the vault, the list of folders or an agent may have changed
	stirred chan struct{} // something was written in a watched folder

	folders []watchedFolder
	held    bool // something is left that was settled
	due     time.Time
}

// watchedFolder is a folder with what watches it, nil for nothing.
type watchedFolder struct {
	core.Watched
	watcher *folderwatch.Watcher
}

func newFolderTaker(service *core.Service, cfg Config) *folderTaker {
	t := &folderTaker{service: service, saves: cfg.SavesPower, settled: cmp.Or(cfg.SettledFor, sessions.Settled), look: make(chan struct{}, 1), stirred: make(chan struct{}, 1)}
	if t.saves == nil {
		t.saves = func() bool { return false }
	}
	return t
}

// run takes sessions until ctx ends.
func (t *folderTaker) run(ctx context.Context) {
	timer := time.NewTimer(0)
	defer timer.Stop()
	defer func() { t.watch(nil) }()
	for {
		select {
		case <-ctx.Done():
			return
		case <-t.look:
			if t.refresh(ctx) {
				t.dueBy(0)
			} else if t.held {
				t.dueBy(time.Second) // agents ask often
			}
		case <-t.stirred:
			t.dueBy(t.settled)
		case <-timer.C:
			t.due = time.Time{}
			_ = t.refresh(ctx)
			t.takeAll(ctx)
		}
		timer.Stop()
		if !t.due.IsZero() {
			timer.Reset(time.Until(t.due))
		}
	}
}

// dueBy has the folders looked at in a while at the latest.
func (t *folderTaker) dueBy(in time.Duration) {
	if at := time.Now().Add(in); t.due.IsZero() || at.Before(t.due) {
		t.due = at
	}
}

// refresh takes over which folders are watched, none while the vault is locked, and reports whether
// others are than before.
func (t *folderTaker) refresh(ctx context.Context) bool {
	all, _ := t.service.WatchedFolders(ctx) // none of a locked vault
	same := slices.EqualFunc(all, t.folders, func(a core.Watched, b watchedFolder) bool {
		return a.Kind == b.Kind && a.Since.Compare(b.Since) == 0
	})
	if same {
		for i := range all {
			t.folders[i].Watched = all[i]
		}
		return false
	}
	t.watch(all)
	return true
}

// watch ends the watching, and has other folders looked at and watched.
func (t *folderTaker) watch(all []core.Watched) {
	for _, f := range t.folders {
		f.stop()
	}
	t.folders, t.held, t.due = nil, false, time.Time{}
	for _, w := range all {
		t.folders = append(t.folders, watchedFolder{Watched: w})
	}
}

func (f *watchedFolder) stop() {
	if f.watcher != nil {
		f.watcher.Close()
		f.watcher = nil
	}
}

// takeAll takes what is settled in every folder. While the computer saves power it only waits.
func (t *folderTaker) takeAll(ctx context.Context) {
	t.held = false
	if len(t.folders) > 0 && t.saves() {
		t.held = true
		t.dueBy(lookAgain)
		return
	}
	places, err := clients.Here(os.Getenv)
	if err != nil {
		return
	}
	for i := range t.folders {
		f := &t.folders[i]
		if f.Kind == downloads.Kind {
			t.rewatch(ctx, f, folderwatch.Folder{Path: downloads.Folder(places)})
			_ = t.service.NoteFiles(ctx) // exports are offered, not taken; of a locked vault nothing is
		}
		if a, known := sessions.Named(f.Kind); known {
			t.rewatch(ctx, f, folderwatch.Folder{Path: a.Folder(places), Depth: a.Depth})
			t.takeFrom(ctx, places, a, f.Watched)
		}
	}
}

// rewatch replaces the watcher of a folder by one of the folder as it is now. Files written from here on
// cause a notification; those written before are found by a scan.
func (t *folderTaker) rewatch(ctx context.Context, f *watchedFolder, at folderwatch.Folder) {
	f.stop()
	watcher, err := folderwatch.Open(at, func() { wake(t.stirred) })
	if err == nil {
		f.watcher, err = watcher, watcher.Partly
	}
	_ = t.service.NoteWatching(ctx, f.Kind, err) // of a locked vault nothing is watched
}

// takeFrom takes the settled sessions of a folder, the oldest first.
func (t *folderTaker) takeFrom(ctx context.Context, places clients.Places, a sessions.Assistant, w core.Watched) {
	found, more, err := a.WrittenSince(places, time.Unix(0, w.UpTo))
	if err != nil {
		_ = t.service.NoteWatching(ctx, w.Kind, err)
	}
	now := time.Now()
	for i, s := range found {
		if rest := t.settled - now.Sub(s.At); rest > 0 { // as all behind it
			t.dueBy(rest)
			return
		}
		upTo := s.At
		if i+1 < len(found) && found[i+1].At.Equal(s.At) {
			upTo = time.Time{}
		}
		if done, err := t.take(ctx, places, a, s.Path, upTo); !done || err != nil {
			t.held = true
			t.dueBy(lookAgain)
			return
		}
	}
	if more {
		t.dueBy(0)
	}
}

// take takes one session, and reports whether it needs no other look.
func (t *folderTaker) take(ctx context.Context, places clients.Places, a sessions.Assistant, path string, upTo time.Time) (done bool, err error) {
	f, err := a.Open(places, path)
	if errors.Is(err, fs.ErrNotExist) {
		return true, nil // gone meanwhile
	}
	if err != nil {
		return t.service.WatchedSession(ctx, a.ID, core.FolderSession{Refused: err, UpTo: upTo})
	}
	defer f.Close()
	return t.service.WatchedSession(ctx, a.ID, core.FolderSession{File: f.Name, Content: f.Content(), UpTo: upTo})
}
