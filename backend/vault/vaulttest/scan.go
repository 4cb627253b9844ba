// Package vaulttest looks for readable text where there must be none. It knows
// no vault: it reads folders as somebody would who found the disk.
package vaulttest

import (
	"bytes"
	"compress/flate"
	"compress/gzip"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf16"

	"github.com/klauspost/compress/zstd"
)

// maxUnpacked bounds what is unpacked from one place of a file.
const maxUnpacked = 64 << 20

// Scan searches the names and bytes of everything below dirs for canaries: raw,
// as UTF-16 in both orders, hexadecimal and base64 at every alignment, and all
// of it again inside anything zstd, gzip or zip. It returns, for every canary
// that was found, the sorted places.
func Scan(canaries []string, dirs ...string) (map[string][]string, error) {
	s := scanner{forms: map[string][][]byte{}}
	for _, c := range canaries {
		s.forms[c] = formsOf(c)
	}
	err := s.walk(dirs)
	for tries := 0; err != nil && tries < maxTries; tries++ {
		err = s.walk(dirs) // a file went, perhaps to a name that was looked at before, or Windows keeps it to who renames it
	}
	if err != nil {
		return nil, err
	}
	for _, places := range s.found {
		slices.Sort(places)
	}
	return s.found, nil
}

// maxTries bounds how often files may change while they are looked through.
const maxTries = 50

func (s *scanner) walk(dirs []string) error {
	s.found = map[string][]string{}
	for _, dir := range dirs {
		if err := filepath.WalkDir(dir, s.visit); err != nil {
			return err
		}
	}
	return nil
}

// formsOf are the byte strings that give a canary away.
func formsOf(canary string) [][]byte {
	raw := []byte(canary)
	digits := hex.EncodeToString(raw)
	forms := [][]byte{raw, []byte(digits), []byte(strings.ToUpper(digits))}
	units := utf16.Encode([]rune(canary))
	var little, big []byte
	for _, u := range units {
		little = binary.LittleEndian.AppendUint16(little, u)
		big = binary.BigEndian.AppendUint16(big, u)
	}
	forms = append(forms, little, big)
	for shift := range 3 {
		forms = append(forms, inBase64(raw, shift, base64.RawStdEncoding), inBase64(raw, shift, base64.RawURLEncoding))
	}
	return forms
}

// inBase64 is the part of the encoding that does not depend on the bytes
// around raw, when shift bytes stand in front of it.
func inBase64(raw []byte, shift int, enc *base64.Encoding) []byte {
	text := enc.EncodeToString(append(make([]byte, shift), raw...))
	from := (shift*8 + 5) / 6
	to := (shift + len(raw)) * 8 / 6
	return []byte(text[from:to])
}

type scanner struct {
	forms map[string][][]byte
	found map[string][]string
}

func (s *scanner) visit(path string, d fs.DirEntry, err error) error {
	if err != nil {
		return err
	}
	s.search([]byte(d.Name()), path+" (its name)")
	if !d.Type().IsRegular() {
		return nil
	}
	raw, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	s.search(raw, path)
	for _, unpacked := range unpack(raw) {
		s.search(unpacked, path+" (unpacked)")
	}
	return nil
}

func (s *scanner) search(data []byte, place string) {
	for canary, forms := range s.forms {
		if slices.ContainsFunc(forms, func(f []byte) bool { return bytes.Contains(data, f) }) && !slices.Contains(s.found[canary], place) {
			s.found[canary] = append(s.found[canary], place)
		}
	}
}

// unpack inflates whatever looks packed, wherever it starts.
func unpack(data []byte) [][]byte {
	var out [][]byte
	for magic, open := range map[string]func(io.Reader) (io.Reader, error){
		"\x28\xb5\x2f\xfd": func(r io.Reader) (io.Reader, error) { return zstd.NewReader(r, zstd.WithDecoderConcurrency(1)) },
		"\x1f\x8b\x08":     func(r io.Reader) (io.Reader, error) { return gzip.NewReader(r) },
		"PK\x03\x04":       openEntry,
	} {
		for at := 0; ; at++ {
			next := bytes.Index(data[at:], []byte(magic))
			if next < 0 {
				break
			}
			at += next
			if r, err := open(bytes.NewReader(data[at:])); err == nil {
				plain, _ := io.ReadAll(io.LimitReader(r, maxUnpacked)) // what follows is no part of it, so an error is usual
				out = append(out, plain)
			}
		}
	}
	return out
}

// openEntry inflates the entry of a zip at its local header.
func openEntry(r io.Reader) (io.Reader, error) {
	var head [30]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return nil, err
	}
	names := int64(binary.LittleEndian.Uint16(head[26:])) + int64(binary.LittleEndian.Uint16(head[28:]))
	if _, err := io.CopyN(io.Discard, r, names); err != nil {
		return nil, err
	}
	return flate.NewReader(r), nil
}
