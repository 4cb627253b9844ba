package bridge_test

import (
	"context"
	"errors"
	"path/filepath"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"keepsake/app/bridge"
	"keepsake/backend/core"
)

// desk is a shell with a clipboard and a page.
type desk struct {
	bridge.Host
	mu      sync.Mutex
	text    string
	refuses error
	thrown  int // how often the page was thrown away
	notices []string
	raised  int // how often the window was brought forward
}

func (d *desk) Raise() { d.raised++ }

func (d *desk) Emit(string, any) {}

func (d *desk) Notify(text string) { d.notices = append(d.notices, text) }

func (d *desk) Locked() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.thrown++
}

func (d *desk) Clipboard() (string, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.text, d.refuses
}

func (d *desk) SetClipboard(text string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.refuses == nil {
		d.text = text
	}
	return d.refuses
}

func (d *desk) holds(t *testing.T, want string) {
	t.Helper()
	synctest.Wait()
	if got, _ := d.Clipboard(); got != want {
		t.Errorf("on the clipboard is %q, want %q", got, want)
	}
}

// Promise: what was copied from the vault leaves the clipboard after half a
// minute, counted from the last copy, and with a lock; what somebody else copied
// stays.
func TestCopiedIsTakenBack(t *testing.T) {
	for name, then := range map[string]func(t *testing.T, d *desk, b *bridge.Bridge, service *core.Service){
		"after half a minute": func(t *testing.T, d *desk, b *bridge.Bridge, _ *core.Service) {
			time.Sleep(29 * time.Second) // on the test's own clock: nobody waits
			d.holds(t, "a memory")
			time.Sleep(2 * time.Second) // the same
			d.holds(t, "")
		},
		"counted anew with every copy": func(t *testing.T, d *desk, b *bridge.Bridge, _ *core.Service) {
			time.Sleep(20 * time.Second) // on the test's own clock
			copied(t, b, "another")
			time.Sleep(20 * time.Second) // the same
			d.holds(t, "another")
			time.Sleep(11 * time.Second) // the same
			d.holds(t, "")
		},
		"with a lock": func(t *testing.T, d *desk, _ *bridge.Bridge, service *core.Service) {
			if err := service.Lock(context.Background()); err != nil {
				t.Fatal(err)
			}
			d.holds(t, "")
			_ = d.SetClipboard("a memory") // from elsewhere, by now
			time.Sleep(time.Minute)        // on the test's own clock
			d.holds(t, "a memory")
		},
		"not what came after it": func(t *testing.T, d *desk, _ *bridge.Bridge, service *core.Service) {
			_ = d.SetClipboard("a shopping list")
			time.Sleep(time.Minute) // on the test's own clock
			d.holds(t, "a shopping list")
			if err := service.Lock(context.Background()); err != nil {
				t.Fatal(err)
			}
			d.holds(t, "a shopping list")
		},
		"not once the program has ended": func(t *testing.T, d *desk, b *bridge.Bridge, _ *core.Service) {
			b.Close()
			time.Sleep(time.Minute) // on the test's own clock
			d.holds(t, "a memory")
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				d := &desk{}
				service, b := bridged(t, d)
				defer b.Close()
				copied(t, b, "a memory")
				d.holds(t, "a memory")
				then(t, d, b, service)
			})
		})
	}
}

// bridged is a bridge to a host, with a place for a vault behind it.
func bridged(t *testing.T, host bridge.Host) (*core.Service, *bridge.Bridge) {
	t.Helper()
	service, err := core.New(core.Config{VaultDir: filepath.Join(t.TempDir(), "vault")})
	if err != nil {
		t.Fatal(err)
	}
	return service, bridge.New(t.Context(), service, host)
}

func copied(t *testing.T, b *bridge.Bridge, text string) {
	t.Helper()
	if err := b.Vault.Copy(text); err != nil {
		t.Fatal(err)
	}
}

// Promise: a clipboard that takes nothing is said to the person, and nothing is
// taken back later that was never there.
func TestCopyThatFailsIsSaid(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := &desk{text: "from before", refuses: errors.New("no clipboard here")}
		_, b := bridged(t, d)
		defer b.Close()
		if err := b.Vault.Copy("a memory"); err == nil {
			t.Error("it says that it copied")
		}
		d.refuses = nil
		time.Sleep(time.Minute) // on the test's own clock
		d.holds(t, "from before")
	})
}
