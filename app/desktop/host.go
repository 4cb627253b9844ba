package desktop

import (
	"context"
	"sync"

	wails_runtime "github.com/wailsapp/wails/v2/pkg/runtime"

	"keepsake/app/bridge"
	"keepsake/backend/fault"
)

// host is the native shell. Until Wails has started it, events go nowhere: the
// page asks for what it missed.
type host struct {
	mu          sync.Mutex
	ctx         context.Context
	systemTheme string
}

var _ bridge.Host = (*host)(nil)

func (h *host) attach(ctx context.Context) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.ctx = ctx
}

func (h *host) detach() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.ctx = nil
}

func (h *host) context() context.Context {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.ctx
}

func (h *host) started() (context.Context, error) {
	if ctx := h.context(); ctx != nil {
		return ctx, nil
	}
	return nil, fault.New(fault.Busy, "no-window", "The window is not there yet.")
}

// Emit implements bridge.Host.
func (h *host) Emit(name string, payload any) {
	if ctx := h.context(); ctx != nil {
		wails_runtime.EventsEmit(ctx, name, payload)
	}
}

// OpenFiles implements bridge.Host.
func (h *host) OpenFiles(title string) ([]string, error) {
	ctx, err := h.started()
	if err != nil {
		return nil, err
	}
	paths, err := wails_runtime.OpenMultipleFilesDialog(ctx, wails_runtime.OpenDialogOptions{Title: title})
	return paths, dialogFault(err)
}

// OpenFolder implements bridge.Host.
func (h *host) OpenFolder(title string) (string, error) {
	ctx, err := h.started()
	if err != nil {
		return "", err
	}
	path, err := wails_runtime.OpenDirectoryDialog(ctx, wails_runtime.OpenDialogOptions{Title: title, CanCreateDirectories: true})
	return path, dialogFault(err)
}

// SaveFile implements bridge.Host.
func (h *host) SaveFile(title, defaultName string) (string, error) {
	ctx, err := h.started()
	if err != nil {
		return "", err
	}
	path, err := wails_runtime.SaveFileDialog(ctx, wails_runtime.SaveDialogOptions{
		Title: title, DefaultFilename: defaultName, CanCreateDirectories: true,
	})
	return path, dialogFault(err)
}

// Reveal implements bridge.Host.
func (h *host) Reveal(path string) error { return revealFile(path) }

// OpenLink implements bridge.Host.
func (h *host) OpenLink(address string) error {
	ctx, err := h.started()
	if err != nil {
		return err
	}
	wails_runtime.BrowserOpenURL(ctx, address)
	return nil
}

// Clipboard implements bridge.Host.
func (h *host) Clipboard() (string, error) {
	ctx, err := h.started()
	if err != nil {
		return "", err
	}
	text, err := wails_runtime.ClipboardGetText(ctx)
	return text, clipboardFault(err)
}

// SetClipboard implements bridge.Host.
func (h *host) SetClipboard(text string) error {
	ctx, err := h.started()
	if err != nil {
		return err
	}
	return clipboardFault(setClipboard(ctx, text))
}

func clipboardFault(err error) error {
	if err == nil {
		return nil
	}
	return fault.New(fault.Refused, "clipboard-refused", "The clipboard could not be reached.").Because(err)
}

// Locked implements bridge.Host.
func (h *host) Locked() {
	if ctx := h.context(); ctx != nil {
		throwPageAway(ctx)
	}
}

// DownloadURL implements bridge.Host: the person chose the place themselves.
func (h *host) DownloadURL(string, string) string { return "" }

// SystemTheme implements bridge.Host.
func (h *host) SystemTheme() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.systemTheme
}

// themed keeps what the desktop's theme has become, and tells the page.
func (h *host) themed(theme string) {
	h.mu.Lock()
	h.systemTheme = theme
	h.mu.Unlock()
	h.Emit(bridge.EventTheme, bridge.ThemeView{SystemTheme: theme})
}

// Notify implements bridge.Host.
func (h *host) Notify(text string) {
	if ctx := h.context(); ctx != nil {
		go notify(ctx, text, func() { raise(ctx) })
	}
}

// Raise implements bridge.Host.
func (h *host) Raise() {
	if ctx := h.context(); ctx != nil {
		go raise(ctx)
	}
}

// raise brings the window before all others.
func raise(ctx context.Context) {
	wails_runtime.WindowUnminimise(ctx)
	wails_runtime.WindowShow(ctx)
}

func dialogFault(err error) error {
	if err == nil {
		return nil
	}
	return fault.New(fault.Internal, "dialog-failed", "The dialog could not be shown.").Because(err)
}
