package clients

import (
	"os"
	"path/filepath"
	"strings"
)

// Status is how a client stands on this computer.
type Status struct {
	Client    Client
	File      string
	Found     bool  // there are settings of it, or the folder in which it would keep them
	Exists    bool  // its file is there
	Connected bool  // and has an entry of ours
	Current   bool  // which starts this program, for this vault
	Hooks     bool  // hooks of ours are there, too
	Problem   error // why it could not be connected
}

// Look says how each client stands that could ask for a vault; "" is the one that was shown last.
func Look(p Places, vaultDir string) ([]Status, error) {
	program, err := Program()
	if err != nil {
		return nil, err
	}
	var all []Status
	for _, c := range All() {
		entry, err := c.NewEntry(program, vaultDir)
		if err != nil {
			return nil, err
		}
		all = append(all, c.look(p, entry))
	}
	return all, nil
}

func (c Client) look(p Places, e Entry) Status {
	s := Status{Client: c, File: c.File(p), Found: c.isFound(p)}
	s.Hooks = c.HasHooks(p)
	plan, err := c.Connect(s.File, e)
	if err != nil {
		_, missing := os.Lstat(s.File)
		s.Exists, s.Problem = missing == nil, err
		return s
	}
	s.Exists, s.Connected, s.Current = plan.Exists, plan.Connected, plan.Connected && !plan.Changes()
	return s
}

// isFound reports traces of a client: its program may lie anywhere, its settings do not. Where
// those lie in the home folder itself, the client has a folder of the same name there.
func (c Client) isFound(p Places) bool {
	file := c.File(p)
	folder := filepath.Dir(file)
	if folder == p.Home {
		folder = strings.TrimSuffix(file, filepath.Ext(file))
	}
	for _, path := range []string{file, folder} {
		if _, err := os.Stat(path); err == nil {
			return true
		}
	}
	return false
}
