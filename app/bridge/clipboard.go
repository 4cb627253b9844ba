package bridge

import (
	"context"
	"crypto/sha256"
	"sync"
	"time"
)

// copiedFor is how long what was copied from the vault stays on the clipboard.
const copiedFor = 30 * time.Second

// copied remembers, by its hash, what lies on the clipboard because of us.
type copied struct {
	mu    sync.Mutex
	sum   [sha256.Size]byte
	timer *time.Timer // nil: nothing of ours
}

// Copy puts text on the clipboard. It is taken back half a minute later, and
// when the vault is locked, unless something else was copied meanwhile.
func (v *Vault) Copy(text string) error {
	return do(v.k, func(context.Context) error {
		if err := v.k.host.SetClipboard(text); err != nil {
			return err
		}
		v.k.copied.ours(text, v.k.takeBack)
		return nil
	})
}

func (c *copied) ours(text string, takeBack func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.timer != nil {
		c.timer.Stop()
	}
	c.sum = sha256.Sum256([]byte(text))
	c.timer = time.AfterFunc(copiedFor, takeBack)
}

// stop forgets what is ours and reports the hash of it, if there was anything.
func (c *copied) stop() (sum [sha256.Size]byte, had bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.timer == nil {
		return sum, false
	}
	c.timer.Stop()
	c.timer = nil
	return c.sum, true
}

// takeBack clears the clipboard where it still holds what we put there.
func (k *kit) takeBack() {
	sum, had := k.copied.stop()
	if !had {
		return
	}
	if text, err := k.host.Clipboard(); err == nil && sha256.Sum256([]byte(text)) == sum {
		_ = k.host.SetClipboard("") // nobody waits for it; there is no second try
	}
}
