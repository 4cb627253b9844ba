package sample

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"fmt"
	"time"
)

// Export is one sample file, named as the provider would name it.
type Export struct {
	Name string
	Data []byte
}

// Exports are the samples, in the order in which they are read.
func Exports() ([]Export, error) {
	chatgpt, err := pack(chatGPTFiles())
	if err != nil {
		return nil, err
	}
	claude, err := pack(claudeFiles())
	if err != nil {
		return nil, err
	}
	return []Export{{"chatgpt-sample.zip", chatgpt}, {"claude-sample.zip", claude}}, nil
}

// object is a JSON object written out in code.
type object = map[string]any

// file is an entry of an export: JSON, or bytes as they are.
type file struct {
	name  string
	value any
}

// packed is the time of every entry, so that the same sample has the same bytes.
var packed = time.Date(2026, 7, 1, 0, 0, 0, 0, time.UTC)

func pack(files []file) ([]byte, error) {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, f := range files {
		data, isRaw := f.value.([]byte)
		if !isRaw {
			var err error
			if data, err = json.Marshal(f.value); err != nil {
				return nil, fmt.Errorf("write sample %s: %w", f.name, err)
			}
		}
		w, err := z.CreateHeader(&zip.FileHeader{Name: f.name, Method: zip.Deflate, Modified: packed})
		if err != nil {
			return nil, fmt.Errorf("pack sample: %w", err)
		}
		if _, err := w.Write(data); err != nil {
			return nil, fmt.Errorf("pack sample: %w", err)
		}
	}
	if err := z.Close(); err != nil {
		return nil, fmt.Errorf("pack sample: %w", err)
	}
	return b.Bytes(), nil
}
