package bridge

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"os"
	"slices"

	"keepsake/app/clients"
	"keepsake/app/downloads"
	"keepsake/app/sessions"
	"keepsake/backend/core"
	"keepsake/backend/fault"
)

// ByItselfView is all that Keepsake does by itself with files outside of the vault, because the person
// switched it on.
type ByItselfView struct {
	Watched []WatchedView  `json:"watched"` // what can be watched, whether it is or not
	Hooks   []HooksView    `json:"hooks"`   // those that are written into the settings of an assistant
	Kept    []KeptFileView `json:"kept"`
}

// WatchedView is a folder that is watched, or that could be.
type WatchedView struct {
	Kind    string     `json:"kind"`
	Name    string     `json:"name"`   // of the assistant
	Folder  string     `json:"folder"` // to be shown, never to be sent back
	Found   bool       `json:"found"`  // it is there
	On      bool       `json:"on"`
	Since   string     `json:"since"`
	Taken   int        `json:"taken"` // sessions
	Last    string     `json:"last"`  // "": none
	Refused *FaultView `json:"refused"`
	Problem *FaultView `json:"problem"`
}

// HooksView is an assistant that starts Keepsake at the turns of a session.
type HooksView struct {
	ID   string `json:"id"`
	Name string `json:"name"`
	File string `json:"file"`
}

// KeptFileView is a file in which a hand-off is kept.
type KeptFileView struct {
	ID       string     `json:"id"`
	File     string     `json:"file"` // to be shown, never to be sent back
	Target   string     `json:"target"`
	Circle   string     `json:"circle"` // name, or its entity where it has none any more
	Memories int        `json:"memories"`
	Written  string     `json:"written"`
	Stopped  *FaultView `json:"stopped"` // why it is not written any more; null: it is
}

// ByItself lists what goes on by itself.
func (l *Library) ByItself() (ByItselfView, error) {
	return call(l.k, func(ctx context.Context) (ByItselfView, error) {
		places, err := clients.Here(os.Getenv)
		if err != nil {
			return ByItselfView{}, err
		}
		watched, err := l.k.core.WatchedFolders(ctx)
		if err != nil {
			return ByItselfView{}, err
		}
		kept, err := l.keptFiles(ctx)
		return ByItselfView{watchedViews(places, watched), hooksViews(places), kept}, err
	})
}

// watchedViews are the folders that can be watched, that of downloads last.
func watchedViews(places clients.Places, watched []core.Watched) []WatchedView {
	views := list(sessions.All(), func(a sessions.Assistant) WatchedView {
		return watchedView(watched, a.ID, a.Name, a.Folder(places))
	})
	return append(views, watchedView(watched, downloads.Kind, "", downloads.Folder(places)))
}

func watchedView(watched []core.Watched, kind, name, folder string) WatchedView {
	_, err := os.Stat(folder)
	view := WatchedView{Kind: kind, Name: name, Folder: folder, Found: err == nil}
	if i := slices.IndexFunc(watched, func(w core.Watched) bool { return w.Kind == kind }); i >= 0 {
		w := watched[i]
		view.On, view.Since, view.Taken, view.Last = true, w.Since.String(), w.Taken, w.Last.String()
		view.Refused, view.Problem = faultViewOrNil(w.Refused), faultViewOrNil(w.Problem)
	}
	return view
}

func hooksViews(places clients.Places) []HooksView {
	views := []HooksView{}
	for _, c := range clients.All() {
		if c.HasHooks(places) {
			views = append(views, HooksView{c.ID, c.Name, c.HooksFile(places)})
		}
	}
	return views
}

func (l *Library) keptFiles(ctx context.Context) ([]KeptFileView, error) {
	all, err := l.k.core.KeptFiles(ctx)
	if err != nil {
		return nil, err
	}
	circles, err := l.k.core.Circles(ctx)
	return list(all, func(k core.KeptFile) KeptFileView {
		name := k.Circle
		if i := slices.IndexFunc(circles.Circles, func(c core.ListedCircle) bool { return c.Entity == k.Circle }); i >= 0 {
			name = circles.Circles[i].Name
		}
		return KeptFileView{fileID(k.File), k.File, k.Target, name, k.Memories, k.Written.String(), faultViewOrNil(k.Stopped)}
	}), err
}

// fileID stands for the path of a file, which a page never names.
func fileID(file string) string {
	sum := sha256.Sum256([]byte(file))
	return hex.EncodeToString(sum[:8])
}

// WatchSessions has the sessions of an assistant taken from where it keeps them, or no longer; of the kind
// "downloads" it has exports in the downloads folder offered.
func (l *Library) WatchSessions(kind string, on bool) error {
	return do(l.k, func(ctx context.Context) error {
		if !on {
			return l.k.core.StopWatching(ctx, kind)
		}
		if _, known := sessions.Named(kind); !known && kind != downloads.Kind {
			return fault.New(fault.NotFound, "client-unknown", "Keepsake does not know how to connect an assistant called {name}.").
				With("name", kind).Advise("keepsake agents connect lists those that it knows.")
		}
		_, err := l.k.core.WatchFolder(ctx, kind)
		return err
	})
}

// StopKeptView is what became of a file that is kept no longer.
type StopKeptView struct {
	Left *FaultView `json:"left"` // why what stands there stayed; null: it is out
}

// StopKeeping keeps a file no longer and takes out what Keepsake wrote there.
func (l *Library) StopKeeping(id string) (StopKeptView, error) {
	return call(l.k, func(ctx context.Context) (StopKeptView, error) {
		all, err := l.k.core.KeptFiles(ctx)
		if err != nil {
			return StopKeptView{}, err
		}
		i := slices.IndexFunc(all, func(k core.KeptFile) bool { return fileID(k.File) == id })
		if i < 0 {
			return StopKeptView{}, fault.New(fault.NotFound, "no-kept-file", "Keepsake writes no hand-off into {name}.").With("name", id).Advise("Look at the list of the files into which it does.")
		}
		left, err := l.k.core.StopKeeping(ctx, all[i].File, false)
		return StopKeptView{faultViewOrNil(left)}, err
	})
}
