package bench

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"time"

	"keepsake/backend/core"
	"keepsake/backend/seal"
)

// deriveKey opens a header whose cost is what a new vault gets on this machine:
// Argon2id and next to nothing else.
func deriveKey(ctx context.Context, _ order, measured meter) (map[string]float64, error) {
	cost := seal.DefaultKDF()
	h, keys, _, err := seal.NewHeader(seal.HeaderOptions{Cipher: seal.AES256GCM, KDF: cost, Passphrase: passphrase, Now: time.Now()})
	if err != nil {
		return nil, err
	}
	keys.Wipe()
	extra := map[string]float64{"MiB": float64(cost.MemoryKiB >> 10), "passes": float64(cost.Time), "threads": float64(cost.Threads)}
	return extra, measured(func() error {
		keys, err := h.Unlock(ctx, passphrase)
		if err == nil {
			keys.Wipe()
		}
		return err
	})
}

// openSealed opens as many sealed texts as there are memories, each as long as
// one: what reading them all costs where nothing is looked up or decoded.
func openSealed(ctx context.Context, s *core.Service, _ order, measured meter) (map[string]float64, error) {
	page, err := s.Memories(ctx, core.MemoryQuery{})
	if err != nil {
		return nil, err
	}
	texts := make([][]byte, len(page.Items))
	for i, m := range page.Items {
		if texts[i], err = json.Marshal(m); err != nil {
			return nil, fmt.Errorf("write memory: %w", err)
		}
	}
	return openAll(texts, measured)
}

// rowBytes is what the row of a memory takes in its page, as a library of this
// kind was measured to have, and pageRows how many rows a page has
// (docs/vault-format.md §6).
const (
	rowBytes = 110
	pageRows = 64
)

// openPages opens as many bytes as the pages of rows have that a list is sorted
// and counted by.
func openPages(_ context.Context, _ *core.Service, o order, measured meter) (map[string]float64, error) {
	pages := make([][]byte, o.Plan.Memories/pageRows+1)
	for i := range pages {
		pages[i] = make([]byte, rowBytes*pageRows)
	}
	return openAll(pages, measured)
}

// openAll seals texts under one key and measures how they are opened.
func openAll(texts [][]byte, measured meter) (map[string]float64, error) {
	_, keys, _, err := seal.NewHeader(seal.HeaderOptions{Cipher: seal.AES256GCM, KDF: seal.TestKDF(), Passphrase: passphrase, Now: time.Now()})
	if err != nil {
		return nil, err
	}
	defer keys.Wipe()
	blocks, err := keys.Blocks([]byte("floor"))
	if err != nil {
		return nil, err
	}
	total, sealed := 0, make([][]byte, len(texts))
	name := func(i int) []byte { return binary.BigEndian.AppendUint32(nil, uint32(i)) }
	for i, text := range texts {
		total += len(text)
		sealed[i] = blocks.Seal(name(i), text)
	}
	return map[string]float64{"MB": float64(total) / 1e6}, measured(func() error {
		for i, value := range sealed {
			if _, err := blocks.Open(name(i), value); err != nil {
				return err
			}
		}
		return nil
	})
}
