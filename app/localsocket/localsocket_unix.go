//go:build unix

package localsocket

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strconv"

	"keepsake/backend/product"
)

// Listener listens for other processes of the same person. The lock beside the socket decides who
// listens; a socket that a crashed process left behind is only a file.
type Listener struct {
	lock   *os.File
	socket net.Listener
}

// Listen listens for one purpose on a vault. It returns ErrTaken if another process does.
func Listen(purpose, vaultDir string) (*Listener, error) {
	name, err := pathOf(purpose, vaultDir)
	if err != nil {
		return nil, err
	}
	lock, err := os.OpenFile(name+".lock", os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fmt.Errorf("open lock of a socket: %w", err)
	}
	if err := tryLock(lock); err != nil {
		lock.Close()
		return nil, ErrTaken
	}
	if err := os.Remove(name + ".sock"); err != nil && !errors.Is(err, fs.ErrNotExist) {
		lock.Close()
		return nil, fmt.Errorf("remove stale socket: %w", err)
	}
	socket, err := net.Listen("unix", name+".sock")
	if err != nil {
		lock.Close()
		return nil, fmt.Errorf("listen: %w", err)
	}
	if err := os.Chmod(name+".sock", 0o600); err != nil {
		socket.Close()
		lock.Close()
		return nil, fmt.Errorf("keep others from a socket: %w", err)
	}
	return &Listener{lock, socket}, nil
}

// Accept waits for the next process, until Close. One of another person is turned away, where the
// system tells whose it is.
func (l *Listener) Accept() (net.Conn, error) {
	for {
		conn, err := acceptAgain(l.socket)
		if err != nil {
			return nil, err
		}
		if isOwn(conn) {
			return conn, nil
		}
		conn.Close()
	}
}

// Close ends listening and gives the lock back.
func (l *Listener) Close() {
	l.socket.Close()
	l.lock.Close()
}

// Dial reaches the process that listens for a purpose on a vault.
func Dial(purpose, vaultDir string) (net.Conn, error) {
	name, err := pathOf(purpose, vaultDir)
	if err != nil {
		return nil, err
	}
	return net.Dial("unix", name+".sock")
}

// longestPath is how many bytes the path of a socket may have: 104 on macOS with the zero at its end,
// four more on Linux.
const longestPath = 103

// pathOf returns the path of lock and socket, without their endings, in a folder of this person alone.
func pathOf(purpose, vaultDir string) (string, error) {
	name := nameOf(purpose, vaultDir)
	dir := folder()
	if len(filepath.Join(dir, name+".lock")) > longestPath {
		dir = shortFolder()
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", fmt.Errorf("make folder of sockets: %w", err)
	}
	return filepath.Join(dir, name), ownFolder(dir)
}

// folder is where sockets are. Programs that an assistant starts are often given no variable but HOME
// and PATH, so that it depends on nothing else (such as XDG_RUNTIME_DIR or TMPDIR).
func folder() string {
	home, err := os.UserHomeDir()
	switch {
	case err != nil:
		return shortFolder()
	case runtime.GOOS == "darwin":
		return filepath.Join(home, "Library", "Application Support", product.Name, "run")
	}
	return filepath.Join(home, ".local", "state", product.Program, "run")
}

// shortFolder is where sockets are if the home folder has too long a path, or there is none.
func shortFolder() string {
	return filepath.Join("/tmp", product.Program+"-"+strconv.Itoa(os.Getuid()))
}
