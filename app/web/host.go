package web

import (
	"encoding/json"
	"fmt"
	"net/http"
	"sync"
	"time"

	"keepsake/app/bridge"
)

// Of one event stream: how many events may wait for a slow browser, and how
// often a silent line is kept alive.
const (
	streamBuffer = 256
	keepAlive    = 20 * time.Second
)

// host is the shell that a browser is. It has no dialogs: the page uploads and
// downloads instead.
type host struct {
	mu      sync.Mutex
	streams map[chan []byte]bool
	files   exports
	closed  chan struct{}
	once    sync.Once
}

var _ bridge.Host = (*host)(nil)

func newHost() *host {
	return &host{streams: map[chan []byte]bool{}, closed: make(chan struct{})}
}

func (h *host) close() {
	h.once.Do(func() {
		close(h.closed)
		h.files.remove()
	})
}

// Emit hands an event to every open stream. A browser that fell behind loses
// its stream and comes back for a new one.
func (h *host) Emit(name string, payload any) {
	if event, ok := payload.(bridge.VaultEventView); ok && !event.Unlocked {
		h.files.remove()
	}
	data, err := json.Marshal(payload)
	if err != nil {
		data = []byte("null")
	}
	event := fmt.Appendf(nil, "event: %s\ndata: %s\n\n", name, data)
	h.mu.Lock()
	defer h.mu.Unlock()
	for stream := range h.streams {
		select {
		case stream <- event:
		default:
			delete(h.streams, stream)
			close(stream)
		}
	}
}

// endStreams ends every event stream; pages that may come back do.
func (h *host) endStreams() {
	h.mu.Lock()
	defer h.mu.Unlock()
	for stream := range h.streams {
		delete(h.streams, stream)
		close(stream)
	}
}

func (h *host) stream(w http.ResponseWriter, r *http.Request) {
	out := http.NewResponseController(w)
	w.Header().Set("Content-Type", "text/event-stream")
	events := make(chan []byte, streamBuffer)
	h.mu.Lock()
	h.streams[events] = true
	h.mu.Unlock()
	defer func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		delete(h.streams, events)
	}()
	alive := time.NewTicker(keepAlive)
	defer alive.Stop()
	next := []byte(":\n\n")
	for {
		if _, err := w.Write(next); err != nil || out.Flush() != nil {
			return
		}
		var open bool
		select {
		case next, open = <-events:
			if !open {
				return
			}
		case <-alive.C:
			next = []byte(":\n\n")
		case <-h.closed:
			return
		case <-r.Context().Done():
			return
		}
	}
}

func (h *host) OpenFiles(string) ([]string, error) { return nil, bridge.NoDialog() }

func (h *host) OpenFolder(string) (string, error) { return "", bridge.NoDialog() }

// Clipboard is the page's own work here, as far as the browser lets it.
func (h *host) Clipboard() (string, error) { return "", bridge.NoDialog() }

func (h *host) SetClipboard(string) error { return bridge.NoDialog() }

// Notify says nothing: a browser asks for leave first, and its page is seen to be busy.
func (h *host) Notify(string) {}

// Raise has nothing to do: no page may bring its browser forward.
func (h *host) Raise() {}

// Locked has nothing to do: the page loads itself anew.
func (h *host) Locked() {}

func (h *host) Reveal(string) error { return bridge.NoDialog() }

// OpenLink is the page's own work here: it has a browser around it.
func (h *host) OpenLink(string) error { return bridge.NoDialog() }

// SystemTheme is "": a browser knows it by itself.
func (h *host) SystemTheme() string { return "" }
