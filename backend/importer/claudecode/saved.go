package claudecode

import (
	"bytes"
	"regexp"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"keepsake/backend/importer"
	"keepsake/backend/importer/jsonstream"
	"keepsake/backend/intake"
)

// A large result of a tool does not stand in its session: a stub there says to which file
// it was saved, and how it begins. The files lie in a folder beside the session.

// savedFolder is what that folder is called.
const savedFolder = "tool-results"

// saved are the files of a tree that hold results of tools.
type saved struct {
	files map[string][]intake.File // by their base names
	taken map[string]bool          // paths of those that a session names
}

func savedIn(tree *intake.Tree) *saved {
	s := &saved{map[string][]intake.File{}, map[string]bool{}}
	for _, f := range tree.Files() {
		if strings.HasSuffix("/"+f.Path, "/"+savedFolder+"/"+f.Base()) && f.Size <= importer.MaxText {
			s.files[f.Base()] = append(s.files[f.Base()], f)
		}
	}
	return s
}

var stub = regexp.MustCompile(`(?s)^\s*<persisted-output>.*?saved to:?\s+([^\r\n]+)`)

// of is the file that a stub names: it lies in the folder of the same session.
func (s *saved) of(text string) (intake.File, bool) {
	named := stub.FindStringSubmatch(text)
	if named == nil {
		return intake.File{}, false
	}
	at := strings.Split(strings.ReplaceAll(strings.TrimSpace(named[1]), `\`, "/"), "/")
	for _, f := range s.files[at[len(at)-1]] {
		parts := strings.Split(f.Path, "/")
		n := min(len(parts), len(at), 3) // session, folder, name
		if strings.Join(parts[len(parts)-n:], "/") == strings.Join(at[len(at)-n:], "/") {
			return f, true
		}
	}
	return intake.File{}, false
}

// claim notes the files that the results of a line were saved to, as far as there is room
// for them: they are part of the session.
func (s *session) claim(v jsontext.Value) {
	if len(s.saved.files) == 0 || !bytes.Contains(v, []byte("<persisted-output>")) {
		return
	}
	for _, block := range jsonstream.Items(jsonstream.Member(jsonstream.Member(v, "message"), "content")) {
		content := jsonstream.Member(block, "content")
		text, _ := jsonstream.Text(content)
		for _, part := range jsonstream.Items(content) {
			text = importer.FirstOf(text, importer.TextIn(part, "text"))
		}
		if f, ok := s.saved.of(text); ok && s.claimed+f.Size <= s.size.Limit() {
			s.claimed += f.Size
			s.saved.taken[f.Path] = true
			s.claims = append(s.claims, f)
		}
	}
}

// whole is what the stub of a result stands for: the text of its file, or the stub.
func (b *blocks) whole(text string) (string, error) {
	if !stub.MatchString(text) {
		return text, nil
	}
	f, ok := b.s.saved.of(text)
	if !ok || !b.s.saved.taken[f.Path] {
		importer.KeepRaw(&b.m.RawMetadata, importer.ExcerptMember, []byte("true"))
		return text, nil
	}
	all, err := b.s.Text(f)
	if err != nil || strings.TrimSpace(all) == "" {
		return text, err
	}
	importer.KeepText(&b.m.RawMetadata, "persisted_output", text)
	return all, nil
}
