package intake

import (
	"context"
	"errors"
	"io"
	"regexp"
	"strings"

	"github.com/klauspost/compress/zstd"

	"keepsake/backend/fault"
)

// zstName is how a file of JSON is called that was packed by itself, as Codex does with
// older sessions. Browsers number what they save twice.
var zstName = regexp.MustCompile(`(?i)^(.+\.jsonl?)(?: ?\(\d+\))?\.zst$`)

// zstMagic begins a file that zstd packed.
const zstMagic = "\x28\xb5\x2f\xfd"

// zstWindow is how far back a packed file may refer, in bytes: so much is held in memory.
const zstWindow = 32 << 20

func isZST(name string, head []byte) bool {
	return zstName.MatchString(name) && strings.HasPrefix(string(head), zstMagic)
}

// zstFile is a file that lies packed by itself. Packed is where its bytes lie.
type zstFile struct {
	packed content
	name   string
	size   int64 // of what can be unpacked
}

// unfoldZST puts what files hold that are packed one by one in their place, without the
// ending .zst. How much that is nobody declares, so each is unpacked once.
func (t *Tree) unfoldZST(ctx context.Context) error {
	at := make(map[string]int, len(t.files)) // in files, by path
	var files, packed []File
	for _, f := range t.files {
		if zstName.MatchString(f.Path) {
			packed = append(packed, f)
			continue
		}
		at[f.Path] = len(files)
		files = append(files, f)
	}
	for _, f := range packed {
		plain, err := t.unfolded(ctx, f)
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil:
			t.refuse(f.Path, err)
			continue
		}
		if err := t.budget.take(t.sources[0].Name, 0, plain.Size); err != nil {
			return err
		}
		i, twin := at[plain.Path]
		switch {
		case !twin:
			at[plain.Path] = len(files)
			files = append(files, plain)
		case plain.Size > files[i].Size:
			t.refuse(plain.Path, beside(plain.Path, f.Path))
			files[i] = plain
		default:
			t.refuse(f.Path, beside(f.Path, plain.Path))
		}
	}
	t.files = files
	return nil
}

func beside(name, other string) error {
	return fault.New(fault.Invalid, "packed-and-plain", "{name} was left out: {other} beside it is the same file in another form, and as long or longer.").
		With("name", printable(name)).With("other", printable(other))
}

func zstBomb(archive, name string, ratio int64) error {
	return fault.New(fault.Refused, "zst-bomb", "{entry} in {name} unfolds to more than {ratio} times its size, as only a bomb does; it was left out.").
		With("name", archive).With("entry", printable(name)).With("ratio", ratio).
		Advise("Do not open this file. Download the export again, directly from the provider.")
}

// unfolded is what a packed file holds, or the file as it is where it is none.
func (t *Tree) unfolded(ctx context.Context, f File) (File, error) {
	head, limits := make([]byte, len(zstMagic)), t.opts.Limits
	r, err := f.content.open(ctx, uncounted())
	if err != nil {
		return f, err
	}
	defer r.Close()
	if _, err := io.ReadFull(r, head); err != nil || string(head) != zstMagic {
		return f, nil // what is wrong with it is told where it is read
	}
	z := &zstFile{packed: f.content, name: f.Path}
	all, err := z.unpack(ctx, uncounted())
	if err != nil {
		return f, err
	}
	defer all.Close()
	most := min(limits.Entry, max(ratioFree, f.Size*limits.Ratio))
	z.size, err = io.Copy(io.Discard, io.LimitReader(all, most+1))
	switch {
	case z.size > limits.Entry:
		return f, tooLargeEntry(t.sources[0].Name, f.Path, limits.Entry)
	case z.size > most:
		return f, zstBomb(t.sources[0].Name, f.Path, limits.Ratio)
	case err != nil && z.size == 0:
		return f, z.broken(err, false)
	}
	f.Path, f.Size, f.content = zstName.FindStringSubmatch(f.Path)[1], z.size, z
	return f, nil
}

func (z *zstFile) read() *track { return z.packed.read() }

func (z *zstFile) plain() (io.ReaderAt, io.Closer, error) { return nil, nil, nil }

func (z *zstFile) open(ctx context.Context, reached *track) (io.ReadCloser, error) {
	r, err := z.unpack(ctx, reached)
	if err != nil {
		return nil, err
	}
	return &guarded{ctx: ctx, r: r, left: z.size, close: r, broken: z.broken}, nil
}

// unpack reads what the file holds, as much as there is.
func (z *zstFile) unpack(ctx context.Context, reached *track) (io.ReadCloser, error) {
	packed, err := z.packed.open(ctx, reached)
	if err != nil {
		return nil, err
	}
	d, err := zstd.NewReader(packed, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(zstWindow))
	if err != nil {
		return nil, errors.Join(z.broken(err, false), packed.Close())
	}
	return &unpacking{d, packed}, nil
}

// unpacking closes what it reads from.
type unpacking struct {
	*zstd.Decoder
	packed io.Closer
}

func (u *unpacking) Close() error {
	u.Decoder.Close()
	return u.packed.Close()
}

// broken says what is wrong with a packed file. What stands before was read.
func (z *zstFile) broken(cause error, more bool) error {
	if fault.Known(cause) {
		return cause
	}
	f := fault.New(fault.Invalid, "zst-damaged", "{name} is damaged and cannot be unpacked to its end. What stands before the damage was read.").
		Advise("Copy the file again from where it comes from.")
	switch {
	case more:
		f = fault.New(fault.Invalid, "file-grew", "{name} became longer while it was being read. Its end was not read.").Advise("Import it again.")
	case errors.Is(cause, io.ErrUnexpectedEOF):
		f = fault.New(fault.Invalid, "zst-truncated", "{name} is cut off: its end is missing. What can be unpacked of it was read.").
			Advise("Copy the file again from where it comes from.")
	case errors.Is(cause, zstd.ErrWindowSizeExceeded), errors.Is(cause, zstd.ErrDecoderSizeExceeded):
		f = fault.New(fault.TooLarge, "zst-window", "{name} needs more than {limit} MiB of memory to be unpacked, and was not read.").With("limit", zstWindow>>20).
			Advise("Unpack it yourself and drop what comes out.")
	}
	return f.With("name", printable(z.name)).Because(cause)
}
