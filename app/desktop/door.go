package desktop

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"keepsake/backend/product"
)

// Of a hand-over: how long it may take, and how long a message may be.
const (
	handOverTimeout = 5 * time.Second
	maxMessage      = 4 << 20
)

// ErrHandedOver says that a window for this vault runs already and took the
// files over.
var ErrHandedOver = errors.New("handed over to the running window")

// Door is how later starts reach this window: a lock that the first start
// holds, and a socket beside it. The lock decides; a socket that a crashed
// window left behind is only a file.
type Door struct {
	lock     *os.File
	listener net.Listener
}

// handOver is what a later start sends.
type handOver struct {
	Files []string `json:"files"` // absolute
}

// OpenDoor takes the lock for the window on vaultDir. Where another process
// holds it, files are handed to that one and ErrHandedOver is returned.
func OpenDoor(vaultDir string, files []string) (*Door, error) {
	dir, err := doorDir()
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256([]byte(vaultDir))
	name := filepath.Join(dir, "window-"+hex.EncodeToString(sum[:8]))
	lock, err := os.OpenFile(name+".lock", os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fmt.Errorf("open window lock: %w", err)
	}
	if err := tryLock(lock); err != nil {
		lock.Close()
		if err := send(name+".sock", files); err != nil {
			return nil, fmt.Errorf("hand files to the running window: %w", err)
		}
		return nil, ErrHandedOver
	}
	if err := os.Remove(name + ".sock"); err != nil && !errors.Is(err, fs.ErrNotExist) {
		lock.Close()
		return nil, fmt.Errorf("remove stale socket: %w", err)
	}
	listener, err := net.Listen("unix", name+".sock")
	if err != nil {
		lock.Close()
		return nil, fmt.Errorf("listen for later starts: %w", err)
	}
	return &Door{lock: lock, listener: listener}, nil
}

// Listen passes on what later starts hand over, until Close. It returns at once.
func (d *Door) Listen(opened func(files []string)) {
	if d == nil {
		return
	}
	go func() {
		for {
			conn, err := d.listener.Accept()
			if err != nil {
				return
			}
			if message, err := receive(conn); err == nil {
				opened(message.Files)
			}
		}
	}()
}

// Close gives the lock back.
func (d *Door) Close() {
	if d == nil {
		return
	}
	d.listener.Close()
	d.lock.Close()
}

func receive(conn net.Conn) (handOver, error) {
	defer conn.Close()
	_ = conn.SetDeadline(time.Now().Add(handOverTimeout))
	var message handOver
	if err := json.NewDecoder(io.LimitReader(conn, maxMessage)).Decode(&message); err != nil {
		return handOver{}, err
	}
	_, err := conn.Write([]byte("ok"))
	return message, err
}

func send(socket string, files []string) error {
	conn, err := dial(socket)
	if err != nil {
		return err
	}
	defer conn.Close()
	_ = conn.SetDeadline(time.Now().Add(handOverTimeout))
	if err := json.NewEncoder(conn).Encode(handOver{Files: files}); err != nil {
		return err
	}
	var ok [2]byte
	_, err = io.ReadFull(conn, ok[:])
	return err
}

// dial waits a moment for a window that holds the lock but does not listen yet.
func dial(socket string) (net.Conn, error) {
	deadline := time.After(handOverTimeout)
	retry := time.NewTicker(50 * time.Millisecond)
	defer retry.Stop()
	for {
		conn, err := net.Dial("unix", socket)
		if err == nil {
			return conn, nil
		}
		select {
		case <-deadline:
			return nil, err
		case <-retry.C:
		}
	}
}

// doorDir is a folder of this person alone, short enough for the name of a
// socket (108 bytes on Linux, 104 on macOS).
func doorDir() (string, error) {
	dir := os.Getenv("XDG_RUNTIME_DIR")
	if dir == "" {
		dir = filepath.Join(os.TempDir(), product.Program+"-"+strconv.Itoa(os.Getuid()))
	} else {
		dir = filepath.Join(dir, product.Program)
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", fmt.Errorf("make window folder: %w", err)
	}
	return dir, ownFolder(dir)
}
