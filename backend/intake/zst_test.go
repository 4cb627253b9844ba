package intake_test

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"keepsake/backend/fault"
	"keepsake/backend/intake"
)

// zst packs a text as one frame.
func zst(t testing.TB, text string, o ...zstd.EOption) []byte {
	t.Helper()
	var out bytes.Buffer
	w, err := zstd.NewWriter(&out, o...)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(w, text); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// told reads every file of a tree: "path=text", with the reason for which it breaks off;
// and what was left out, with its reason.
func told(t *testing.T, tree *intake.Tree) string {
	t.Helper()
	var all []string
	for _, f := range tree.Files() {
		data, err := tree.ReadAll(context.Background(), f, 1<<20)
		if err != nil {
			r, _ := tree.Open(context.Background(), f)
			data, _ = io.ReadAll(r)
			r.Close()
			all = append(all, f.Path+" "+fault.From(err).Reason)
		}
		if int64(len(data)) != f.Size {
			t.Errorf("%s: %d bytes of %d", f.Path, len(data), f.Size)
		}
		if err == nil {
			all = append(all, f.Path+"="+string(data))
		}
	}
	for _, r := range tree.Refused() {
		all = append(all, r.Path+" "+r.Fault.Reason)
	}
	if tree.Consumed() > tree.Size() {
		t.Errorf("%d bytes read of %d", tree.Consumed(), tree.Size())
	}
	return strings.Join(all, ", ")
}

// TestField08PackedFilesOfLines: a file of lines that was packed by itself is one of
// lines, alone, in a folder and in a zip. Of two forms of a file the longer is read, and
// the other is named.
func TestField08PackedFilesOfLines(t *testing.T) {
	text, longer := `{"a":1}`+"\n", `{"a":1}`+"\n"+`{"a":2}`+"\n"
	noise := string(noise(300 << 10))
	for _, c := range []struct {
		files []entry
		want  string
	}{
		{[]entry{{name: "a.jsonl.zst", data: zst(t, text)}}, "a.jsonl=" + text},
		{[]entry{{name: "A.JSONL.ZST", data: zst(t, text)}}, "A.JSONL=" + text},
		{[]entry{{name: "a.json (1).zst", data: zst(t, text)}}, "a.json=" + text},
		{[]entry{{name: "a.jsonl.zst", data: append(zst(t, text), zst(t, text)...)}}, "a.jsonl=" + text + text},
		{[]entry{{name: "a.jsonl", data: []byte(text)}, {name: "a.jsonl.zst", data: zst(t, text)}}, "a.jsonl=" + text + ", a.jsonl.zst packed-and-plain"},
		{[]entry{{name: "a.jsonl", data: []byte(text)}, {name: "a.jsonl.zst", data: zst(t, longer)}}, "a.jsonl=" + longer + ", a.jsonl packed-and-plain"},
		{[]entry{{name: "a.jsonl.zst", data: zst(t, text)}, {name: "b.jsonl.zst", data: zst(t, noise)[:200<<10]}, {name: "c.jsonl.zst", data: zst(t, text)[:9]}}, "a.jsonl=" + text + ", b.jsonl zst-truncated, c.jsonl.zst zst-truncated"},
		{[]entry{{name: "a.jsonl.zst", data: []byte(text)}, {name: "b.txt.zst", data: []byte("x")}}, "a.jsonl.zst=" + text + ", b.txt.zst=x"},
	} {
		dir := t.TempDir()
		for i := range c.files {
			write(t, filepath.Join(dir, c.files[i].name), string(c.files[i].data))
		}
		archive := filepath.Join(t.TempDir(), "export.zip")
		if err := os.WriteFile(archive, craft{entries: c.files}.bytes(t), 0o600); err != nil {
			t.Fatal(err)
		}
		paths := []string{dir, archive}
		if len(c.files) == 1 {
			paths = append(paths, filepath.Join(dir, c.files[0].name))
		}
		for _, path := range paths {
			tree, err := openPath(t, path)
			if err != nil {
				t.Fatal(err)
			}
			if got := told(t, tree); got != c.want {
				t.Errorf("%s: %s, want %s", path, got, c.want)
			}
			if err := tree.Sound(context.Background(), "a.jsonl"); err != nil {
				t.Error(err)
			}
		}
	}
}
