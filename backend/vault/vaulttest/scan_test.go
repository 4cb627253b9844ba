package vaulttest_test

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/hex"
	"os"
	"path/filepath"
	"testing"
	"unicode/utf16"

	"github.com/klauspost/compress/zstd"

	"keepsake/backend/vault/vaulttest"
)

const canary = "CANARY-é-0123456789"

// Promise: the search finds a canary in every form it claims to; otherwise a
// clean result would mean nothing.
func TestScanFinds(t *testing.T) {
	wide := func(first, second int) []byte {
		var b []byte
		for _, u := range utf16.Encode([]rune(canary)) {
			pair := [2]byte{byte(u), byte(u >> 8)}
			b = append(b, pair[first], pair[second])
		}
		return b
	}
	var zipped bytes.Buffer
	zw := gzip.NewWriter(&zipped)
	_, _ = zw.Write([]byte("before " + canary))
	_ = zw.Close()
	var archive bytes.Buffer
	aw := zip.NewWriter(&archive)
	f, _ := aw.Create("folder/entry.txt")
	_, _ = f.Write([]byte(canary))
	_ = aw.Close()
	enc, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	forms := map[string][]byte{
		"raw": []byte(canary), "utf-16 little": wide(0, 1), "utf-16 big": wide(1, 0),
		"hex": []byte(hex.EncodeToString([]byte(canary))), "HEX": bytes.ToUpper([]byte(hex.EncodeToString([]byte(canary)))),
		"gzip": zipped.Bytes(), "zip": archive.Bytes(), "zstd": enc.EncodeAll([]byte(canary), nil),
		"zstd with an end": append(enc.EncodeAll([]byte(canary), nil), 1, 2, 3),
	}
	for _, before := range []string{"", "x", "xy"} {
		forms["base64 "+before] = []byte(base64.StdEncoding.EncodeToString([]byte(before + canary + "tail")))
		forms["base64url "+before] = []byte(base64.RawURLEncoding.EncodeToString([]byte(before + canary)))
	}
	for name, data := range forms {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			if err := os.WriteFile(filepath.Join(dir, "file"), append([]byte("\x00\x01before"), data...), 0o600); err != nil {
				t.Fatal(err)
			}
			got, err := vaulttest.Scan([]string{canary, "absent-canary-9876"}, dir)
			if err != nil || len(got) != 1 || len(got[canary]) == 0 {
				t.Errorf("found %v, %v", got, err)
			}
		})
	}
}

func TestScanReadsNames(t *testing.T) {
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "a "+canary, "b"), 0o700); err != nil {
		t.Fatal(err)
	}
	if got, err := vaulttest.Scan([]string{canary}, dir); err != nil || len(got[canary]) != 1 {
		t.Errorf("found %v, %v", got, err)
	}
}
