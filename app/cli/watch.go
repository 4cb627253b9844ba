package cli

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"keepsake/app/clients"
	"keepsake/app/downloads"
	"keepsake/app/sessions"
	"keepsake/backend/core"
	"keepsake/backend/fault"
	"keepsake/backend/memory"
)

func (d *door) watch() *cobra.Command {
	return parent("watch", "Say from which folders sessions come in by themselves", d.watchList(), d.watchAdd(), d.watchStop(), d.watchPass())
}

func (d *door) watchList() *cobra.Command {
	return &cobra.Command{
		Use:   "list",
		Short: "List the folders that are watched",
		Args:  exactly(0),
		RunE: d.onVault(func(ctx context.Context, svc *core.Service, _ []string) error {
			all, err := svc.WatchedFolders(ctx)
			if err != nil {
				return err
			}
			found, err := downloads.Look(ctx, svc, d.env.Getenv)
			return d.answerUnless(err, listOf(d.viewsOfWatched(all, found), len(all)), func() {
				for _, w := range all {
					d.sayWatched(w, found)
				}
				d.sayIf(len(all) == 0, "No folder is watched. keepsake watch add claude-code has the sessions of Claude Code taken as they end.")
			})
		}),
	}
}

// watchedView is the JSON of a watched folder.
type watchedView struct {
	Kind    string      `json:"kind"`
	Folder  string      `json:"folder"` // as it is called here now
	Since   memory.Time `json:"since"`
	Taken   int         `json:"taken"`
	Last    memory.Time `json:"last,omitzero"`
	Refused string      `json:"refused,omitempty"` // why the last one was not taken
	Offered []string    `json:"offered,omitempty"` // paths of exports that are not imported yet
}

func (d *door) viewOfWatched(w core.Watched) watchedView {
	return watchedView{Kind: w.Kind, Folder: d.folderOf(w), Since: w.Since, Taken: w.Taken, Last: w.Last, Refused: messageOf(w.Refused)}
}

func (d *door) viewsOfWatched(all []core.Watched, found []downloads.Found) []watchedView {
	views := make([]watchedView, len(all))
	for i, w := range all {
		views[i] = d.viewOfWatched(w)
		for _, f := range found {
			if w.Kind == downloads.Kind {
				views[i].Offered = append(views[i].Offered, f.Path)
			}
		}
	}
	return views
}

func (d *door) sayWatched(w core.Watched, found []downloads.Found) {
	what := "sessions of " + w.Kind
	if a, known := sessions.Named(w.Kind); known {
		what = "sessions of " + a.Name + ", " + count(w.Taken, "session", "sessions") + " taken"
	}
	if w.Kind == downloads.Kind {
		d.say("%s: new exports are offered, since %s", d.folderOf(w), when(w.Since))
		for _, f := range found {
			d.say("  %s, of %s: keepsake import takes it, keepsake watch pass has it offered no more", f.Path, f.Name)
		}
		return
	}
	d.say("%s: %s, since %s", d.folderOf(w), what, when(w.Since))
	if w.Refused != nil {
		d.say("  the last one was refused: %s", w.Refused.Message())
	}
}

// folderOf is the folder that is watched, as it is called here now.
func (d *door) folderOf(w core.Watched) string {
	a, known := sessions.Named(w.Kind)
	places, err := clients.Here(d.env.Getenv)
	switch {
	case err == nil && known:
		return a.Folder(places)
	case err == nil && w.Kind == downloads.Kind:
		return downloads.Folder(places)
	}
	return w.Kind
}

// watchable are the kinds of folders.
func watchable() (kinds []string) {
	for _, a := range sessions.All() {
		kinds = append(kinds, a.ID)
	}
	return append(kinds, downloads.Kind)
}

func (d *door) watchAdd() *cobra.Command {
	return &cobra.Command{
		Use:   "add KIND",
		Short: "Have the sessions of an assistant taken as they end, or new exports offered",
		Long: "KIND is one of " + listed(watchable()) + ". While Keepsake is open and unlocked, a session of the assistant that nothing was\n" +
			"written to for two minutes is taken as an import of its file would take it. What is there already is not: import that.\n" +
			"With downloads, exports that come into the downloads folder are offered on the Import screen and in watch list, and not taken.",
		Args: exactly(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if !slices.Contains(watchable(), args[0]) {
				return usageError{fmt.Errorf("there is no kind of folder called %q; there are %s", args[0], listed(watchable()))}
			}
			svc, err := d.unlocked(cmd.Context())
			if err != nil {
				return err
			}
			w, err := svc.WatchFolder(cmd.Context(), args[0])
			return d.answerUnless(err, d.viewOfWatched(w), func() { d.sayWatching(w) })
		},
	}
}

func (d *door) sayWatching(w core.Watched) {
	what := "New exports in it are offered, and not taken."
	if a, known := sessions.Named(w.Kind); known {
		what = "The sessions of " + a.Name + " are taken as they end, from now on."
	}
	d.say("%s is watched while Keepsake is open and unlocked. %s", d.folderOf(w), what)
	d.say("keepsake watch stop %s ends it.", w.Kind)
}

func (d *door) watchStop() *cobra.Command {
	return &cobra.Command{
		Use:   "stop FOLDER",
		Short: "Watch a folder no longer; FOLDER may be its kind, too",
		Args:  exactly(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if args[0] == "" {
				return usageError{errors.New("name a folder; keepsake watch list shows them")}
			}
			svc, err := d.unlocked(cmd.Context())
			if err != nil {
				return err
			}
			w, err := d.watchedAs(cmd.Context(), svc, args[0])
			if err == nil {
				err = svc.StopWatching(cmd.Context(), w.Kind)
			}
			return d.answerUnless(err, d.viewOfWatched(w), func() { d.say("%s is not watched any more. What was taken from it stays.", d.folderOf(w)) })
		},
	}
}

func (d *door) watchPass() *cobra.Command {
	return &cobra.Command{
		Use:   "pass FILE",
		Short: "Have an export in the downloads folder offered no more; the file stays",
		Args:  exactly(1),
		RunE: d.onVault(func(ctx context.Context, svc *core.Service, args []string) error {
			found, err := downloads.Look(ctx, svc, d.env.Getenv)
			if err != nil {
				return err
			}
			i := slices.IndexFunc(found, func(f downloads.Found) bool { return filepath.Base(f.Path) == filepath.Base(args[0]) })
			if i < 0 {
				return fault.New(fault.NotFound, "download-not-offered", "No such export is offered from the downloads folder.").Advise("keepsake watch list shows those that are.")
			}
			file := filepath.Base(found[i].Path)
			return d.answerUnless(svc.PassFile(ctx, downloads.Kind, file), map[string]string{"file": file}, func() { d.say("%s is not offered any more. The file stays.", file) })
		}),
	}
}

// watchedAs is the watched folder that somebody means by its path or its kind.
func (d *door) watchedAs(ctx context.Context, svc *core.Service, named string) (core.Watched, error) {
	all, err := svc.WatchedFolders(ctx)
	if err != nil {
		return core.Watched{}, err
	}
	path, _ := filepath.Abs(named)
	for _, w := range all {
		if w.Kind == strings.ToLower(named) || path != "" && d.folderOf(w) == path {
			return w, nil
		}
	}
	return core.Watched{}, fault.New(fault.NotFound, "not-watched", "Keepsake does not watch this folder.").Advise("Look at the list of the folders that it watches.")
}
