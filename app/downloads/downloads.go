package downloads

import (
	"cmp"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"keepsake/app/clients"
	"keepsake/backend/core"
)

// Kind is under which the folder is watched.
const Kind = "downloads"

// most is how many files are looked into at once, the newest first.
const most = 50

// granularity is the coarsest of the file times of a file system, those of FAT. A file written just after
// the folder is watched may have a time before.
const granularity = 2 * time.Second

// endings are those of files that exports come as. A browser writes what is under way under another one.
var endings = []string{".zip", ".tgz", ".json", ".pam", ".mif"}

// Found is a file that a reader knows.
type Found struct {
	Path     string
	Provider string // id of whose export it is
	Name     string // that, as people call it
	Written  time.Time
}

// Look finds the exports in the folder that were written since it is watched, the newest first: those
// that were imported since then and those that the person passed over are left out. It finds nothing
// where the folder is not watched, and in a frozen vault, which takes no import. getenv reads the
// environment of the person whose folder it is.
func Look(ctx context.Context, service *core.Service, getenv func(string) string) ([]Found, error) {
	places, err := clients.Here(getenv)
	if err != nil {
		return nil, err
	}
	return lookIn(ctx, service, Folder(places))
}

func lookIn(ctx context.Context, service *core.Service, folder string) ([]Found, error) {
	w, watched, err := settings(ctx, service)
	if err != nil || !watched {
		return nil, err
	}
	taken, err := imported(ctx, service)
	if err != nil {
		return nil, err
	}
	found := []Found{}
	for _, f := range written(folder, w.Since.Time) {
		if slices.Contains(w.Passed, filepath.Base(f.Path)) || taken[f.Path].After(f.Written) {
			continue
		}
		if f.Provider, f.Name = provider(ctx, service, f.Path); f.Provider != "" {
			found = append(found, f)
		}
	}
	return found, ctx.Err()
}

// settings are those under which the folder is watched.
func settings(ctx context.Context, service *core.Service) (w core.Watched, watched bool, err error) {
	state, err := service.VaultState(ctx)
	if err != nil {
		return w, false, err
	}
	all, err := service.WatchedFolders(ctx)
	i := slices.IndexFunc(all, func(w core.Watched) bool { return w.Kind == Kind })
	if err != nil || i < 0 {
		return w, false, err
	}
	return all[i], !state.Frozen, nil
}

// written lists the files that may be exports and were written after a time, the newest first.
func written(folder string, since time.Time) (found []Found) {
	entries, _ := os.ReadDir(folder) // one that is not there, or may not be read, has no exports to offer
	for _, e := range entries {
		if !e.Type().IsRegular() || !slices.Contains(endings, strings.ToLower(filepath.Ext(e.Name()))) {
			continue
		}
		if info, err := e.Info(); err == nil && info.ModTime().After(since.Add(-granularity)) {
			found = append(found, Found{Path: filepath.Join(folder, e.Name()), Written: info.ModTime()})
		}
	}
	slices.SortFunc(found, func(a, b Found) int { return cmp.Or(b.Written.Compare(a.Written), strings.Compare(a.Path, b.Path)) })
	return found[:min(len(found), most)]
}

// imported says when each file was last imported, by its path.
func imported(ctx context.Context, service *core.Service) (map[string]time.Time, error) {
	reports, err := service.Imports(ctx)
	at := map[string]time.Time{}
	for _, r := range reports {
		for _, s := range r.Sources {
			if r.State != "undone" && r.StartedAt.After(at[s.Path]) {
				at[s.Path] = r.StartedAt.Time
			}
		}
	}
	return at, err
}

// provider is whose export a file is, "" of one that no reader knows.
func provider(ctx context.Context, service *core.Service, path string) (id, name string) {
	plan, err := service.Detect(ctx, []core.Input{{Path: path}})
	if err != nil || len(plan.Sources) != 1 || plan.Sources[0].Fault != nil {
		return "", ""
	}
	return plan.Sources[0].Provider, plan.Sources[0].ProviderName
}
