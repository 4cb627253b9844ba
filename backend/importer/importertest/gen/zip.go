package gen

import (
	"archive/zip"
	"bytes"
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

// must ends the test that asked: a generator has nobody else to tell.
func must(err error) {
	if err != nil {
		panic(err)
	}
}
