package sessions

import (
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"keepsake/app/clients"
	"keepsake/backend/fault"
	"keepsake/backend/plainfile"
)

// largest is how many bytes the file of a session may have.
const largest = 256 << 20

// Settled is how long nothing was written to a session that is over, or that rests.
const Settled = 2 * time.Minute

// Assistant is one that keeps its sessions in files and can start a program of ours.
type Assistant struct {
	ID     string        // of the agent, and of the reader of its sessions
	Name   string        // as people call it
	Quiet  time.Duration // a session is taken once nothing was said of it for so long
	Depth  int           // of folders in which they lie, below the one where the assistant keeps them
	folder func(clients.Places) string
	shape  *regexp.Regexp // of paths below the folder
}

// All lists the assistants.
func All() []Assistant {
	return []Assistant{
		{"claude-code", "Claude Code", 0, 1, inHomeOr("CLAUDE_CONFIG_DIR", ".claude", "projects"), regexp.MustCompile(`^[^/]+/[^/]+\.jsonl$`)},
		{"codex", "Codex", Settled, 3, inHomeOr("CODEX_HOME", ".codex", "sessions"), regexp.MustCompile(`^\d{4}/\d{2}/\d{2}/rollout-[^/]+\.jsonl$`)},
		{"gemini-cli", "Gemini CLI", 0, 2, inHomeOr("", ".gemini", "tmp"), regexp.MustCompile(`^[^/]+/chats/[^/]+\.jsonl?$`)},
	}
}

// Named returns the assistant with an id.
func Named(id string) (Assistant, bool) {
	all := All()
	i := slices.IndexFunc(all, func(a Assistant) bool { return a.ID == id })
	if i < 0 {
		return Assistant{}, false
	}
	return all[i], true
}

// inHomeOr is a folder of one that a variable names, and that is below the home folder otherwise.
func inHomeOr(variable, above, name string) func(clients.Places) string {
	return func(p clients.Places) string {
		if variable != "" && p.Getenv(variable) != "" {
			return filepath.Join(p.Getenv(variable), name)
		}
		return filepath.Join(p.Home, above, name)
	}
}

// File is the file of a session that is open for reading.
type File struct {
	*os.File
	Name string // without folders
	Size int64  // when it was opened
}

// Open opens the file of a session. A path comes from another program: what is no plain file of
// this account where the assistant keeps its sessions is refused, and never opened where looking
// at it says so.
func (a Assistant) Open(p clients.Places, name string) (File, error) {
	root, below, err := a.place(p, name)
	if err != nil {
		return File{}, err
	}
	defer root.Close()
	if err := a.plain(root, below); err != nil {
		return File{}, err
	}
	before, err := root.Lstat(below)
	if err != nil {
		return File{}, a.unreadable(name, err)
	}
	f, err := plainfile.OpenIn(root, below)
	if err != nil {
		return File{}, a.unreadable(name, err)
	}
	info, err := f.Stat()
	switch {
	case err != nil:
		err = a.unreadable(name, err)
	case !os.SameFile(before, info):
		err = a.notPlain(name)
	case !plainfile.IsOwn(info):
		err = fault.New(fault.Refused, "session-foreign", "{name} belongs to another account.").With("name", filepath.Base(name))
	case info.Size() > largest:
		err = fault.New(fault.TooLarge, "session-file-too-large", "{name} is larger than {limit} MiB.").With("name", filepath.Base(name)).With("limit", largest>>20).
			Advise("Import it in Keepsake if you want all of it.")
	}
	if err != nil {
		_ = f.Close()
		return File{}, err
	}
	return File{f, filepath.Base(name), info.Size()}, nil
}

// place returns the folder of the sessions, and the path below it that a path leads to.
func (a Assistant) place(p clients.Places, name string) (root *os.Root, below string, err error) {
	folder := a.folder(p)
	resolved, err := filepath.EvalSymlinks(folder)
	if err != nil || !filepath.IsAbs(name) {
		return nil, "", a.outside(name)
	}
	for _, above := range []string{folder, resolved} {
		below, err = filepath.Rel(above, filepath.Clean(name))
		if err == nil && filepath.IsLocal(below) && a.shape.MatchString(filepath.ToSlash(below)) {
			root, err = os.OpenRoot(resolved)
			if err != nil {
				return nil, "", a.unreadable(name, err)
			}
			return root, below, nil
		}
	}
	return nil, "", a.outside(name)
}

// plain returns an error if a path leads through a link, or to anything but a file.
func (a Assistant) plain(root *os.Root, below string) error {
	parts := strings.Split(filepath.ToSlash(below), "/")
	for i := range parts {
		info, err := root.Lstat(filepath.FromSlash(path.Join(parts[:i+1]...)))
		if err != nil {
			return a.unreadable(below, err)
		}
		if isLast := i == len(parts)-1; isLast && !info.Mode().IsRegular() || !isLast && !info.IsDir() {
			return a.notPlain(below)
		}
	}
	return nil
}

func (a Assistant) outside(name string) error {
	return fault.New(fault.Refused, "session-outside", "{name} does not lie where {client} keeps its sessions.").With("name", filepath.Base(name)).With("client", a.Name)
}

func (a Assistant) notPlain(name string) error {
	return fault.New(fault.Refused, "session-not-plain", "{name} is no plain file but a link, a folder, a pipe or a device, so it was not read.").With("name", filepath.Base(name))
}

func (a Assistant) unreadable(name string, cause error) error {
	if fault.Known(cause) {
		return cause
	}
	return fault.New(fault.NotFound, "session-unreadable", "{name} is not there, or this account cannot read it.").With("name", filepath.Base(name)).Because(cause)
}

// sessionID is one that can stand in the name of a file.
var sessionID = regexp.MustCompile(`^[0-9A-Za-z-]{8,64}$`)

// Find returns the path of a session of Codex, whose file is named after its id and the day on
// which it began.
func (a Assistant) Find(p clients.Places, id string) (string, error) {
	missing := fault.New(fault.NotFound, "session-unknown", "{client} keeps no session with this id.").With("client", a.Name)
	if !sessionID.MatchString(id) {
		return "", missing
	}
	root, err := os.OpenRoot(a.folder(p))
	if err != nil {
		return "", missing
	}
	defer root.Close()
	found, err := fs.Glob(root.FS(), "*/*/*/rollout-*-"+id+".jsonl")
	if err != nil || len(found) == 0 {
		return "", missing
	}
	slices.Sort(found)
	return filepath.Join(a.folder(p), filepath.FromSlash(found[len(found)-1])), nil
}

// Content is what the file had when it was opened: the assistant may write on.
func (f File) Content() io.Reader { return io.LimitReader(f, f.Size) }
