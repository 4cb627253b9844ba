package pam

import (
	"archive/zip"
	"fmt"
	"io"
	"iter"
	"os"
	"path/filepath"
	"strings"
	"time"

	"keepsake/backend/fault"
	"keepsake/backend/intake"
	"keepsake/backend/memory"
)

// Bundle is what goes beside the store. Any sequence may be nil. Embeddings are
// those that the memories name in embedding_ref.
type Bundle struct {
	Embeddings    iter.Seq2[Embedding, error]
	Conversations iter.Seq2[Talk, error]
	Attachments   iter.Seq2[Attachment, error]
}

// Attachment is a file of a conversation; Ref is what the conversation calls it.
type Attachment struct {
	Ref  string
	Open func() (io.ReadCloser, error)
}

// ConversationRef is where a conversation lies inside a bundle; "" where the id
// cannot be a file name, and the conversation is then left out of the bundle.
func ConversationRef(id string) string {
	if !isFileName(id) {
		return ""
	}
	return conversationFolder + id + ".json"
}

// Where conversations and attachments lie inside a bundle.
const (
	conversationFolder = "conversations/"
	attachmentFolder   = "attachments/"
)

// AttachmentRef is the place of one attachment.
func AttachmentRef(ref string) string { return attachmentFolder + ref }

// isFileName is stricter than any platform: letters, digits, and - _ . inside.
func isFileName(name string) bool {
	if name == "" || len(name) > 200 || name[0] == '.' {
		return false
	}
	for _, r := range name {
		if !strings.ContainsRune("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.", r) {
			return false
		}
	}
	return filepath.IsLocal(name)
}

// WriteZip writes a bundle as a zip.
func WriteZip(w io.Writer, src Source, b Bundle, o Options) (Summary, error) {
	z := zip.NewWriter(w)
	sum, err := writeBundle(zipCreator(z, o.Date), src, b, o)
	if err != nil {
		return sum, err
	}
	return sum, z.Close()
}

// zipCreator dates every entry alike, in the two seconds that zip can tell.
func zipCreator(z *zip.Writer, date memory.Time) creator {
	return func(name string) (io.WriteCloser, error) {
		entry, err := z.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Deflate, Modified: date.Time.Truncate(2 * time.Second)})
		return withoutClose{entry}, err
	}
}

type withoutClose struct{ io.Writer }

func (withoutClose) Close() error { return nil }

// WriteFolder writes a bundle into a folder that exists and is empty.
func WriteFolder(dir string, src Source, b Bundle, o Options) (Summary, error) {
	return writeBundle(folderCreator(dir), src, b, o)
}

func folderCreator(dir string) creator {
	return func(name string) (io.WriteCloser, error) {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			return nil, err
		}
		return os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	}
}

// creator makes one file of a bundle.
type creator func(name string) (io.WriteCloser, error)

// writeBundle writes the store, what goes beside it and, where it is signed, the
// digest of it all.
func writeBundle(create creator, src Source, b Bundle, o Options) (Summary, error) {
	var sums fileSums
	sum, err := writeFiles(sums.around(create), src, b, o)
	if err != nil || o.Signer == nil {
		return sum, err
	}
	return sum, create.digest(sums, o.Signer, o.Date.String())
}

func writeFiles(create creator, src Source, b Bundle, o Options) (Summary, error) {
	if b.Conversations != nil {
		src.Index = withStorage(src.Index)
	}
	var sum Summary
	err := create.file(StoreName, func(w io.Writer) (err error) {
		sum, err = WriteStore(w, src, o)
		return err
	})
	if err != nil {
		return sum, err
	}
	if b.Embeddings != nil {
		if err := create.file(EmbeddingsName, func(w io.Writer) error { return WriteEmbeddings(w, b.Embeddings) }); err != nil {
			return sum, err
		}
	}
	if err := create.conversations(b.Conversations); err != nil {
		return sum, err
	}
	return sum, create.attachments(b.Attachments)
}

func withStorage(index []IndexEntry) []IndexEntry {
	out := make([]IndexEntry, len(index))
	for i, entry := range index {
		if ref := ConversationRef(entry.ID); ref != "" && !entry.Alone {
			entry.Storage = &Storage{Type: "file", Ref: ref, Format: "json"}
		}
		out[i] = entry
	}
	return out
}

func (create creator) file(name string, write func(io.Writer) error) error {
	f, err := create(name)
	if err != nil {
		return fmt.Errorf("create %s: %w", name, err)
	}
	if err := write(f); err != nil {
		_ = f.Close() // the first error is the one that matters
		return err
	}
	return f.Close()
}

func (create creator) conversations(all iter.Seq2[Talk, error]) error {
	if all == nil {
		return nil
	}
	for t, err := range all {
		if err != nil {
			return fmt.Errorf("read conversation: %w", err)
		}
		name := ConversationRef(t.ID)
		if name == "" {
			continue
		}
		if err := create.file(name, t.Write); err != nil {
			return err
		}
	}
	return nil
}

func (create creator) attachments(all iter.Seq2[Attachment, error]) error {
	if all == nil {
		return nil
	}
	for a, err := range all {
		if err != nil {
			return fmt.Errorf("read attachment: %w", err)
		}
		if !isFileName(a.Ref) {
			return fault.New(fault.Internal, "attachment-name", "An attachment has a name that cannot be written.")
		}
		if err := create.file(AttachmentRef(a.Ref), a.copyTo); err != nil {
			return err
		}
	}
	return nil
}

func (a Attachment) copyTo(w io.Writer) error {
	r, err := a.Open()
	if err != nil {
		return fmt.Errorf("open attachment: %w", err)
	}
	defer r.Close()
	_, err = io.Copy(w, r)
	return err
}

// isLoose reports a single file that is the document itself.
func isLoose(tree *intake.Tree, store intake.File) bool {
	return len(tree.Files()) == 1 && store.Path == tree.Sources()[0].Name
}
