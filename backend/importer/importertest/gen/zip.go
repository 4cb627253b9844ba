package gen

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"io"

	"github.com/klauspost/compress/flate"
)

// File is one entry of an export.
type File struct {
	Name  string
	Data  []byte
	Store bool // not deflated, as exports keep what is packed already
}

// Zip packs files in their order, without times: the same files are the same
// bytes. It writes to memory only, where nothing can fail.
func Zip(files []File) []byte {
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	w.RegisterCompressor(zip.Deflate, func(out io.Writer) (io.WriteCloser, error) {
		return flate.NewWriter(out, flate.BestSpeed)
	})
	for _, f := range files {
		method := zip.Deflate
		if f.Store {
			method = zip.Store
		}
		e, err := w.CreateHeader(&zip.FileHeader{Name: f.Name, Method: method})
		must(err)
		_, err = e.Write(f.Data)
		must(err)
	}
	must(w.Close())
	return out.Bytes()
}

// Unzip lists the entries of a zip.
func Unzip(data []byte) []File {
	z, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	must(err)
	var files []File
	for _, e := range z.File {
		r, err := e.Open()
		must(err)
		body, err := io.ReadAll(r)
		must(err)
		files = append(files, File{Name: e.Name, Data: body, Store: e.Method == zip.Store})
	}
	return files
}

// TGZ packs files as a tar inside a gzip, without times.
func TGZ(files []File) []byte {
	var out bytes.Buffer
	packed := gzip.NewWriter(&out)
	w := tar.NewWriter(packed)
	for _, f := range files {
		must(w.WriteHeader(&tar.Header{Name: f.Name, Typeflag: tar.TypeReg, Mode: 0o600, Size: int64(len(f.Data))}))
		_, err := w.Write(f.Data)
		must(err)
	}
	must(w.Close())
	must(packed.Close())
	return out.Bytes()
}

// must ends the test that asked: a generator has nobody else to tell.
func must(err error) {
	if err != nil {
		panic(err)
	}
}
