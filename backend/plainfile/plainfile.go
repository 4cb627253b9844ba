package plainfile

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"golang.org/x/term"

	"keepsake/backend/fault"
)

// Open opens a regular file for reading; while it is open it may be renamed and removed,
// on Windows too. Links are followed: the person named it. Where the file cannot be opened
// the error is the system's; what is no regular file is a fault.
func Open(path string) (*os.File, error) {
	return open(path, OpenShared, regular)
}

// OpenIn is Open of a name inside a folder.
func OpenIn(root *os.Root, name string) (*os.File, error) {
	return open(name, func(name string) (*os.File, error) {
		return root.OpenFile(name, os.O_RDONLY|nonBlocking, 0) // shared, as every file of a root
	}, regular)
}

// OpenStream is Open that takes what is read once from front to back, too: a pipe
// that somebody writes to, such as a shell makes of <(command), a terminal, and
// standard input under any of its names.
func OpenStream(path string) (io.ReadCloser, error) {
	f, err := open(path, OpenShared, stream)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err != nil || info.Mode().Type() != os.ModeNamedPipe {
		return f, err
	}
	begun, written := begin(f, writerWait)
	if !written {
		_ = f.Close()
		return nil, fault.New(fault.Invalid, "pipe-without-writer", "{name} is a pipe that nobody writes to.").
			With("name", filepath.Base(path)).Advise("Start what writes into the pipe first, or name a file.")
	}
	return pipe{io.MultiReader(bytes.NewReader(begun), f), f}, nil
}

// pipe is a pipe whose first byte may have been read already.
type pipe struct {
	io.Reader
	io.Closer
}

// writerWait is how long a pipe is given for a writer to open it. A shell starts
// both sides at once.
const writerWait = time.Second

func open(path string, opening func(string) (*os.File, error), allowed func(*os.File, os.FileInfo) bool) (*os.File, error) {
	f, err := opening(path)
	if errors.Is(err, syscall.ENXIO) { // a socket, or a device that is not there
		return nil, errNotPlain(path)
	}
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && !allowed(f, info) {
		err = errNotPlain(path)
	}
	if err != nil {
		_ = f.Close()
		return nil, err
	}
	return f, nil
}

func errNotPlain(path string) error {
	return fault.New(fault.Unsupported, "not-a-plain-file", "{name} is no file but a folder, a pipe or a device; it was not read.").
		With("name", filepath.Base(path)).Advise("Name a file. Where a command reads standard input, \"-\" stands for it.")
}

func regular(_ *os.File, info os.FileInfo) bool { return info.Mode().IsRegular() }

func stream(f *os.File, info os.FileInfo) bool {
	switch mode := info.Mode(); {
	case mode.IsRegular(), mode.Type() == os.ModeNamedPipe:
		return true
	case mode.Type()&os.ModeCharDevice != 0 && term.IsTerminal(int(f.Fd())):
		return true
	}
	in, err := os.Stdin.Stat()
	return err == nil && !info.IsDir() && os.SameFile(in, info)
}
