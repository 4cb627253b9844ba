package desktop

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"time"

	"keepsake/app/localsocket"
)

// Of a hand-over: how long it may take, and how long a message may be.
const (
	handOverTimeout = 5 * time.Second
	maxMessage      = 4 << 20
)

// ErrHandedOver says that a window for this vault runs already and took the
// files over.
var ErrHandedOver = errors.New("handed over to the running window")

// Door is how later starts reach this window.
type Door struct{ listener *localsocket.Listener }

// purpose names the socket of windows.
const purpose = "window"

// handOver is what a later start sends.
type handOver struct {
	Files []string `json:"files"` // absolute
}

// OpenDoor listens for later starts of a window on vaultDir. Where another process shows that vault,
// files are handed to that one and ErrHandedOver is returned.
func OpenDoor(vaultDir string, files []string) (*Door, error) {
	listener, err := localsocket.Listen(purpose, vaultDir)
	if errors.Is(err, localsocket.ErrTaken) {
		if err := send(vaultDir, files); err != nil {
			return nil, fmt.Errorf("hand files to the running window: %w", err)
		}
		return nil, ErrHandedOver
	}
	if err != nil {
		return nil, err
	}
	return &Door{listener}, nil
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

// Close ends listening.
func (d *Door) Close() {
	if d == nil {
		return
	}
	d.listener.Close()
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

func send(vaultDir string, files []string) error {
	conn, err := dial(vaultDir)
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
func dial(vaultDir string) (net.Conn, error) {
	deadline := time.After(handOverTimeout)
	retry := time.NewTicker(50 * time.Millisecond)
	defer retry.Stop()
	for {
		conn, err := localsocket.Dial(purpose, vaultDir)
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
