package bench

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/klauspost/compress/zstd"

	"keepsake/backend/core"
	"keepsake/backend/seal"
)

// scanChunk is how much text the vault packs and seals at a time.
const scanChunk = 64 << 10

// scanSealed is a search without an index: it opens, unpacks and looks through
// every message and memory of the library, on all cores, for one word. What it
// opens was packed and sealed as the vault does it, and lies in memory.
func scanSealed(ctx context.Context, s *core.Service, j *job) error {
	blocks, wipe, err := floorBlocks()
	if err != nil {
		return err
	}
	defer wipe()
	p := &packed{zip: must(zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(1))), blocks: blocks}
	if err := p.all(ctx, s); err != nil {
		return err
	}
	j.Extra = map[string]float64{"MB": float64(p.bytes) / 1e6, "blocks": float64(len(p.sealed))}
	return j.measure(func() error { return p.scan([]byte("a word that nobody wrote")) })
}

func must[T any](v T, err error) T {
	if err != nil { // options that are constants
		panic(err)
	}
	return v
}

// packed is the text of a library in sealed chunks.
type packed struct {
	zip    *zstd.Encoder
	blocks *seal.Blocks
	text   []byte // of the chunk that fills
	sealed [][]byte
	bytes  int
}

func (p *packed) all(ctx context.Context, s *core.Service) error {
	if err := eachMemory(ctx, s, p.add); err != nil {
		return err
	}
	talks, err := s.Conversations(ctx, core.ConversationQuery{})
	if err != nil {
		return err
	}
	for _, c := range talks.Items {
		var text bytes.Buffer
		if err := s.ShowConversation(ctx, c.ID, false, func(c core.Talk) error { return c.Write(&text) }); err != nil {
			return err
		}
		p.add(text.Bytes())
	}
	p.end()
	return nil
}

func (p *packed) add(text []byte) {
	p.bytes += len(text)
	if p.text = append(p.text, text...); len(p.text) >= scanChunk {
		p.end()
	}
}

func (p *packed) end() {
	p.sealed = append(p.sealed, p.blocks.Seal(blockName(len(p.sealed)), p.zip.EncodeAll(p.text, nil)))
	p.text = p.text[:0]
}

// scan fails where the word is found: it is one that forces to the end.
func (p *packed) scan(word []byte) error {
	var next atomic.Int64
	failed := make([]error, runtime.GOMAXPROCS(0))
	var wg sync.WaitGroup
	for i := range failed {
		wg.Go(func() {
			unzip := must(zstd.NewReader(nil, zstd.WithDecoderConcurrency(1)))
			defer unzip.Close()
			var text []byte
			for at := int(next.Add(1)) - 1; at < len(p.sealed) && failed[i] == nil; at = int(next.Add(1)) - 1 {
				chunk, err := p.blocks.Open(blockName(at), p.sealed[at])
				if err == nil {
					text, err = unzip.DecodeAll(chunk, text[:0])
				}
				if err == nil && bytes.Contains(text, word) {
					err = fmt.Errorf("scan library: %q is in it", word)
				}
				failed[i] = err
			}
		})
	}
	wg.Wait()
	return cmp.Or(failed...)
}
