package localsocket

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"net"
	"path/filepath"
	"time"
)

// ErrTaken says that another process listens already.
var ErrTaken = errors.New("another process listens")

// acceptPause is how long accepting waits after an error, such as that the process has as many files
// open as it may.
const acceptPause = 100 * time.Millisecond

// acceptAgain returns the next connection of a listener. An error means that it is closed; after any
// other one it goes on.
func acceptAgain(socket net.Listener) (net.Conn, error) {
	for {
		conn, err := socket.Accept()
		if err == nil || errors.Is(err, net.ErrClosed) {
			return conn, err
		}
		time.Sleep(acceptPause)
	}
}

// nameOf names the socket for one purpose on a vault, by whatever path the vault is named.
func nameOf(purpose, vaultDir string) string {
	sum := sha256.Sum256([]byte(resolved(vaultDir)))
	return purpose + "-" + hex.EncodeToString(sum[:8])
}

// resolved is a path without links. Of what does not exist yet the folders above it are resolved.
func resolved(path string) string {
	if absolute, err := filepath.Abs(path); err == nil {
		path = absolute
	}
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	above := filepath.Dir(path)
	if above == path {
		return path
	}
	return filepath.Join(resolved(above), filepath.Base(path))
}
