package agents

import (
	"context"
	"io"
	"slices"
	"sync"
	"time"

	"keepsake/backend/core/library"
	"keepsake/backend/core/rows"
	"keepsake/backend/fault"
	"keepsake/backend/memory"
	"keepsake/backend/vault"
)

// Watched is the folder in which an assistant keeps its sessions, where the person has it watched while the
// vault is unlocked.
type Watched struct {
	Kind  string      `json:"kind"` // id of the assistant, or "downloads": where the folder is says whoever watches it
	Since memory.Time `json:"since"`
	Taken int         `json:"taken"`         // sessions
	Last  memory.Time `json:"last,omitzero"` // when the last one was taken or refused
	// Refused is why the last one was not taken, nil if it was.
	Refused *fault.Error `json:"refused,omitempty"`

	Problem *fault.Error `json:"problem,omitempty"` // why it is not watched, or in part; only where folders are listed

	// UpTo is when the newest file that needs no look any more was written, as nanoseconds since 1970: all
	// older ones were taken, refused, or there before.
	UpTo int64 `json:"up_to"`

	// Passed are names of files of the downloads folder that the person does not want to import.
	Passed []string `json:"passed,omitempty"`
}

// mostPassed is how many names of passed files are kept, the newest.
const mostPassed = 100

const watchedID = "watched-folders"

// coarse is by how much the times of files may lag behind the clock: two seconds on FAT.
const coarse = 2 * time.Second

func watchedIn(tx *vault.Tx) (all []Watched, err error) {
	_, err = rows.FindJSON(tx, vault.Settings, watchedID, "watched folders", &all)
	return all, err
}

// watchProblems are those of an unlocked vault: they are of this computer, now.
type watchProblems struct {
	mu sync.Mutex
	of map[string]*fault.Error // by kind
}

// WatchedFolders lists the folders that are watched.
func (s *Service) WatchedFolders(ctx context.Context) (all []Watched, err error) {
	err = s.lib.Read(ctx, func(v *library.Session, tx *vault.Tx) error {
		all, err = watchedIn(tx)
		p := library.Kept[watchProblems](v)
		p.mu.Lock()
		defer p.mu.Unlock()
		for i, w := range all {
			all[i].Problem = p.of[w.Kind]
		}
		return err
	})
	return append([]Watched{}, all...), err
}

// NoteWatching says why a folder cannot be watched as a whole; nil where it can.
func (s *Service) NoteWatching(ctx context.Context, kind string, problem error) error {
	said, changed := fault.From(problem), false
	err := s.lib.Read(ctx, func(v *library.Session, _ *vault.Tx) error {
		p := library.Kept[watchProblems](v)
		p.mu.Lock()
		defer p.mu.Unlock()
		if p.of == nil {
			p.of = map[string]*fault.Error{}
		}
		changed = reasonOf(said) != reasonOf(p.of[kind])
		p.of[kind] = said
		return nil
	})
	if changed {
		s.lib.Emit(library.EventAgents, nil)
	}
	return err
}

// WatchFolder has the folder of an assistant watched from now on; what is in it stays as it is.
func (s *Service) WatchFolder(ctx context.Context, kind string) (w Watched, err error) {
	err = s.changeWatched(ctx, func(e *library.Tx, all []Watched) ([]Watched, error) {
		if kind, err = CleanName(kind); err != nil {
			return nil, err
		}
		if i := indexWatched(all, kind); i >= 0 {
			w = all[i]
			return all, nil
		}
		w = Watched{Kind: kind, Since: e.Now, UpTo: e.Now.Add(-coarse).UnixNano()}
		return append(all, w), nil
	})
	return w, err
}

func reasonOf(f *fault.Error) string {
	if f == nil {
		return ""
	}
	return f.Reason
}

// StopWatching has a folder watched no longer. What came from it stays.
func (s *Service) StopWatching(ctx context.Context, kind string) error {
	return s.changeWatched(ctx, func(_ *library.Tx, all []Watched) ([]Watched, error) {
		i := indexWatched(all, kind)
		if i < 0 {
			return nil, notWatched()
		}
		return slices.Delete(all, i, i+1), nil
	})
}

// PassFile has a file of a watched folder offered no more, by its name without folders.
func (s *Service) PassFile(ctx context.Context, kind, name string) error {
	return s.changeWatched(ctx, func(_ *library.Tx, all []Watched) ([]Watched, error) {
		i := indexWatched(all, kind)
		if i < 0 {
			return nil, notWatched()
		}
		w := &all[i]
		if !slices.Contains(w.Passed, name) {
			w.Passed = append(w.Passed, name)
			w.Passed = w.Passed[max(0, len(w.Passed)-mostPassed):]
		}
		return all, nil
	})
}

// NoteFiles says that other files than before may be offered from a watched folder.
func (s *Service) NoteFiles(ctx context.Context) error {
	err := s.lib.Read(ctx, func(*library.Session, *vault.Tx) error { return nil })
	if err == nil {
		s.lib.Emit(library.EventAgents, nil)
	}
	return err
}

func notWatched() error {
	return fault.New(fault.NotFound, "not-watched", "Keepsake does not watch this folder.").Advise("Look at the list of the folders that it watches.")
}

func indexWatched(all []Watched, kind string) int {
	return slices.IndexFunc(all, func(w Watched) bool { return w.Kind == kind })
}

func (s *Service) changeWatched(ctx context.Context, change func(*library.Tx, []Watched) ([]Watched, error)) error {
	err := s.lib.Write(ctx, func(e *library.Tx) error {
		all, err := watchedIn(e.VaultTx)
		if err != nil {
			return err
		}
		if all, err = change(e, all); err != nil {
			return err
		}
		return e.PutSetting(watchedID, all)
	})
	if err == nil {
		s.lib.Emit(library.EventAgents, nil)
	}
	return err
}

// FolderSession is the file of a session in a watched folder.
type FolderSession struct {
	File    string // without folders
	Content io.Reader
	Refused error // why it cannot be read; nil: it can

	// UpTo is the mark of the folder once this session is done with: no file that was written up to then
	// is left. Zero leaves the mark where it is.
	UpTo time.Time
}

// WatchedSession takes a session from a watched folder as AgentSession does, without asking what its
// assistant may: the person had the folder watched. done is false where the session can be taken later:
// the vault is locked or frozen, the person paused the assistant, or another import runs. Where the folder
// is not watched any more it does nothing.
func (s *Service) WatchedSession(ctx context.Context, kind string, f FolderSession) (done bool, err error) {
	var watched, held bool
	err = s.lib.Read(ctx, func(v *library.Session, tx *vault.Tx) error {
		all, err := watchedIn(tx)
		watched = indexWatched(all, kind) >= 0
		if err == nil {
			held, err = isHeld(v, tx, kind)
		}
		return err
	})
	if err != nil || !watched || held {
		return !watched, err
	}
	if err = f.Refused; err == nil {
		err = s.takeSession(ctx, kind, library.WatchedFolder, f.File, f.Content)
	}
	if isLater(ctx, err) {
		return false, nil
	}
	return true, s.noteWatched(ctx, kind, f.UpTo, err)
}

// isHeld reports whether nothing of a kind may be taken now: the vault is frozen, or the person paused the
// agent of this name, or all agents that there are.
func isHeld(v *library.Session, tx *vault.Tx, kind string) (bool, error) {
	all, err := agentsIn(tx)
	if err != nil || v.Vault.Frozen() {
		return true, err
	}
	paused := func(name string) bool { return all[name].Paused }
	return paused(kind) || len(all) > 0 && !slices.ContainsFunc(names(all), func(name string) bool { return !paused(name) }), nil
}

// noteWatched stores what became of a session, and how far the folder is done with.
func (s *Service) noteWatched(ctx context.Context, kind string, upTo time.Time, refused error) error {
	return s.changeWatched(ctx, func(e *library.Tx, all []Watched) ([]Watched, error) {
		i := indexWatched(all, kind)
		if i < 0 {
			return all, nil // stopped meanwhile
		}
		w, action := &all[i], library.LogSessionTaken
		w.Last, w.Refused = e.Now, fault.From(refused)
		if refused != nil {
			action = library.LogSessionRefused
		} else {
			w.Taken++
		}
		if !upTo.IsZero() {
			w.UpTo = max(w.UpTo, upTo.UnixNano())
		}
		return all, e.LogAs(library.WatchedFolder, action, kind, 0)
	})
}
