package bench

import (
	"archive/zip"
	"bytes"
	"context"
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"
)

// hugeBytes is how large the export of the row "huge" is: beyond what 32 bits
// can say, so that the zip is written in its 64-bit form.
const hugeBytes = 6 << 30

// importingHuge reads an export of six gigabytes, nearly all of it a file that no
// message names. The file has holes, so that it takes little of the disk.
func importingHuge() Row {
	return Row{
		Name: "huge", Floors: []string{"sha256"}, named: true,
		prepare: func(_ context.Context, dir string, p Plan) error {
			return writeHuge(filepath.Join(dir, exportName), filepath.Join(dir, "small.zip"), p)
		},
		sides: map[string]side{"sha256": onExport(hash), work: importNew},
		goals: func(m medians) []Goal {
			return []Goal{
				m.memory(280),
				told("processor time / SHA-256 of the zip", m.cpu("sha256")),
			}
		},
	}
}

func writeHuge(path, small string, p Plan) error {
	if _, err := WriteExport(small, p.size()); err != nil {
		return err
	}
	source, err := zip.OpenReader(small)
	if err != nil {
		return fmt.Errorf("open zip: %w", err)
	}
	defer source.Close()
	f, err := os.Create(path)
	if err != nil {
		return fmt.Errorf("make export: %w", err)
	}
	defer f.Close()
	holed := &holes{f: f}
	z := zip.NewWriter(holed)
	for _, entry := range source.File {
		if err := z.Copy(entry); err != nil {
			return fmt.Errorf("make export: %w", err)
		}
	}
	if err := writeZeros(z, hugeBytes); err != nil {
		return fmt.Errorf("make export: %w", err)
	}
	if err := z.Close(); err != nil {
		return fmt.Errorf("make export: %w", err)
	}
	return f.Truncate(holed.at)
}

// writeZeros adds a stored file of nothing but zeros.
func writeZeros(z *zip.Writer, size int64) error {
	block := make([]byte, 1<<20)
	sum := crc32.NewIEEE()
	for range size / int64(len(block)) {
		_, _ = sum.Write(block)
	}
	w, err := z.CreateRaw(&zip.FileHeader{
		Name: "file-holiday.mp4", Method: zip.Store, CRC32: sum.Sum32(), CompressedSize64: uint64(size), UncompressedSize64: uint64(size),
	})
	for i := int64(0); err == nil && i < size; i += int64(len(block)) {
		_, err = w.Write(block)
	}
	return err
}

// holes leaves out what is only zeros.
type holes struct {
	f  *os.File
	at int64
}

var zeros [4096]byte

func (h *holes) Write(p []byte) (int, error) {
	for from := 0; from < len(p); from += len(zeros) {
		part := p[from:min(from+len(zeros), len(p))]
		if !bytes.Equal(part, zeros[:len(part)]) {
			if _, err := h.f.WriteAt(part, h.at); err != nil {
				return from, err
			}
		}
		h.at += int64(len(part))
	}
	return len(p), nil
}
