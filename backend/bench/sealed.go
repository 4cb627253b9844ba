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
func deriveKey(ctx context.Context, j *job) error {
	cost := seal.DefaultKDF()
	h, keys, _, err := seal.NewHeader(seal.HeaderOptions{Cipher: seal.AES256GCM, KDF: cost, Passphrase: passphrase, Now: time.Now()})
	if err != nil {
		return err
	}
	keys.Wipe()
	j.Extra = map[string]float64{"MiB": float64(cost.MemoryKiB >> 10), "passes": float64(cost.Time), "threads": float64(cost.Threads)}
	return j.measure(func() error {
		keys, err := h.Unlock(ctx, passphrase)
		if err == nil {
			keys.Wipe()
		}
		return err
	})
}

// openSealed opens as many sealed texts as there are memories, each as long as
// one: what reading them all costs where nothing is looked up or decoded.
func openSealed(ctx context.Context, s *core.Service, j *job) error {
	var texts [][]byte
	if err := eachMemory(ctx, s, func(text []byte) { texts = append(texts, text) }); err != nil {
		return err
	}
	return openAll(texts, j)
}

// eachMemory gives every memory of a library as JSON.
func eachMemory(ctx context.Context, s *core.Service, give func(text []byte)) error {
	page, err := s.Memories(ctx, core.MemoryQuery{})
	if err != nil {
		return err
	}
	for _, m := range page.Items {
		text, err := json.Marshal(m)
		if err != nil {
			return fmt.Errorf("write memory: %w", err)
		}
		give(text)
	}
	return nil
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
func openPages(_ context.Context, _ *core.Service, j *job) error {
	pages := make([][]byte, j.Plan.Memories/pageRows+1)
	for i := range pages {
		pages[i] = make([]byte, rowBytes*pageRows)
	}
	return openAll(pages, j)
}

// openAll seals texts under one key and measures how they are opened.
func openAll(texts [][]byte, j *job) error {
	blocks, wipe, err := floorBlocks()
	if err != nil {
		return err
	}
	defer wipe()
	total, sealed := 0, make([][]byte, len(texts))
	for i, text := range texts {
		total += len(text)
		sealed[i] = blocks.Seal(blockName(i), text)
	}
	j.Extra["MB"] = float64(total) / 1e6
	return j.measure(func() error {
		for i, value := range sealed {
			if _, err := blocks.Open(blockName(i), value); err != nil {
				return err
			}
		}
		return nil
	})
}

// floorBlocks seals and opens blocks as the vault does, until its key is wiped.
func floorBlocks() (blocks *seal.Blocks, wipe func(), err error) {
	_, keys, _, err := seal.NewHeader(seal.HeaderOptions{Cipher: seal.AES256GCM, KDF: seal.TestKDF(), Passphrase: passphrase, Now: time.Now()})
	if err != nil {
		return nil, nil, err
	}
	blocks, err = keys.Blocks([]byte("floor"))
	return blocks, keys.Wipe, err
}

func blockName(i int) []byte { return binary.BigEndian.AppendUint32(nil, uint32(i)) }
