package intake

import (
	"bytes"
	"context"
	"errors"
	"io"

	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"
)

// OpenText is Open of a file that holds text: one in UTF-16 with its mark, as PowerShell
// writes them, is read as UTF-8. The mark of UTF-8 stays.
func (t *Tree) OpenText(ctx context.Context, f File) (io.ReadCloser, error) {
	r, err := t.Open(ctx, f)
	if err != nil {
		return nil, err
	}
	mark := make([]byte, 2)
	n, err := io.ReadFull(r, mark)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return &text{r, failing{err}}, nil // told where the file is read
	}
	whole := io.MultiReader(bytes.NewReader(mark[:n]), r)
	if order, ok := map[string]unicode.Endianness{"\xFF\xFE": unicode.LittleEndian, "\xFE\xFF": unicode.BigEndian}[string(mark[:n])]; ok {
		whole = transform.NewReader(whole, unicode.UTF16(order, unicode.ExpectBOM).NewDecoder())
	}
	return &text{r, whole}, nil
}

// ReadText is ReadAll of a file that holds text, as OpenText reads it.
func (t *Tree) ReadText(ctx context.Context, f File, most int64) ([]byte, error) {
	r, err := t.OpenText(ctx, f)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	return io.ReadAll(&upTo{r, most, tooLargeEntry(t.Name(), f.Path, most)})
}

// text reads decoded, and closes what it reads from.
type text struct {
	io.Closer
	io.Reader
}

// failing is a reader with nothing but an error.
type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }
