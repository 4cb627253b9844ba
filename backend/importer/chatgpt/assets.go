package chatgpt

import (
	"path"
	"regexp"
	"strings"
	"unicode"

	"github.com/go-json-experiment/json/jsontext"

	"keepsake/backend/importer"
	"keepsake/backend/importer/jsonstream"
	"keepsake/backend/intake"
)

// located is a file and the tree that holds it.
type located struct {
	tree *intake.Tree
	file intake.File
}

// spot tells a file from all others.
type spot struct {
	tree   *intake.Tree
	source int
	path   string
}

func (at located) spot() spot { return spot{at.tree, at.file.Source, at.file.Path} }

// libraryFile is a row of library_files.json.
type libraryFile struct{ id, name, mime string }

// shelf finds the files of an export by what messages call them.
type shelf struct {
	byID      map[string]found         // file-AbC, file_0f3e
	byName    map[string]located       // base name, and base name without extension
	names     map[string]string        // conversation_asset_file_names.json
	library   map[string]libraryFile   // by file id
	byMessage map[string][]libraryFile // by origination_message_id
}

type found struct {
	located
	rank int
}

// nativeID is the id that an asset's name begins with.
var nativeID = regexp.MustCompile(`^(file-[A-Za-z0-9]+|file_[0-9a-fA-F]+)`)

// assetID cuts a pointer down to what a file is called:
// sediment://file_00ab?x=1, file-service://file-AbC, file-AbC.
func assetID(pointer string) string {
	_, id, ok := strings.Cut(pointer, "://")
	if !ok {
		id = pointer
	}
	if i := strings.IndexAny(id, "?#"); i >= 0 {
		id = id[:i]
	}
	return strings.TrimSuffix(path.Base("/"+id), "/")
}

func newShelf() *shelf {
	return &shelf{
		byID: map[string]found{}, byName: map[string]located{}, names: map[string]string{},
		library: map[string]libraryFile{}, byMessage: map[string][]libraryFile{},
	}
}

// add puts a file on the shelf. Under one id <id>.dat goes before <id>, that
// before <id>-name and that before <id>.ext, wherever they lie.
func (s *shelf) add(at located) {
	base := at.file.Base()
	for _, name := range []string{base, strings.TrimSuffix(base, path.Ext(base))} {
		if _, taken := s.byName[name]; !taken {
			s.byName[name] = at
		}
	}
	id := nativeID.FindString(base)
	if id == "" {
		return
	}
	if old, taken := s.byID[id]; !taken || rank(base[len(id):]) < old.rank {
		s.byID[id] = found{at, rank(base[len(id):])}
	}
}

func rank(rest string) int {
	switch {
	case rest == ".dat":
		return 0
	case rest == "":
		return 1
	case rest[0] == '-':
		return 2
	}
	return 3
}

// find looks for the file behind an id.
func (s *shelf) find(id string) (located, bool) {
	if at, ok := s.byName[id+".dat"]; ok {
		return at, true
	}
	if native := nativeID.FindString(id); native != "" {
		if at, ok := s.byID[native]; ok {
			return at.located, true
		}
	}
	at, ok := s.byName[id]
	return at, ok
}

// bareUUID is a display name that says nothing.
var bareUUID = regexp.MustCompile(`^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$`)

// displayName is what to call a file: what the message says, what the name map
// or the library says, or what is left of the entry's own name.
func (s *shelf) displayName(p pointer, at located) string {
	base := at.file.Base()
	rest := strings.TrimPrefix(base, nativeID.FindString(base))
	for _, name := range []string{p.name, fileName(s.names[at.file.Path]), fileName(s.names[base]), s.library[p.id].name} {
		if name != "" && !bareUUID.MatchString(name) {
			return name
		}
	}
	if strings.HasPrefix(rest, "-") && len(rest) > 1 {
		return rest[1:]
	}
	return base
}

// fileName is the last element of a name that may be a path of any system; ""
// where that is no name.
func fileName(name string) string {
	name = strings.Trim(name[strings.LastIndexAny(name, `/\`)+1:], " ")
	if name == "." || name == ".." {
		return ""
	}
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return -1
		}
		return r
	}, name)
}

// maxSidecar bounds the lists that are read whole, in bytes.
const maxSidecar = 64 << 20

// readNames reads conversation_asset_file_names.json.
func (s *shelf) readNames(data jsontext.Value) {
	for member, name := range jsonstream.Members(data) {
		s.names[member] = text(name)
	}
}

// readLibraryFile takes one row of library_files.json.
func (s *shelf) readLibraryFile(row jsontext.Value) {
	f := libraryFile{id: assetID(importer.TextIn(row, "file_id")), name: fileName(importer.TextIn(row, "file_name")), mime: importer.TextIn(row, "mime_type")}
	if f.id == "" || f.id == "." {
		return
	}
	s.library[f.id] = f
	if m := importer.TextIn(row, "origination_message_id"); m != "" {
		s.byMessage[m] = append(s.byMessage[m], f)
	}
}

// lists reports whether a list of the export names a file as one of a chat: it
// is none of nobody's, even where its message was not read this time.
func (s *shelf) lists(at located) bool {
	base := at.file.Base()
	_, called := s.names[at.file.Path]
	_, named := s.names[base]
	_, kept := s.library[strings.TrimSuffix(base, path.Ext(base))]
	return called || named || kept
}

// sandboxLink is how a text points at a file that a tool made.
var sandboxLink = regexp.MustCompile(`sandbox:/mnt/data/([^\s)"'\]>]+)`)

// linked finds the files of the library that a message's text links to.
func (s *shelf) linked(messageID, said string) []pointer {
	made := s.byMessage[messageID]
	if len(made) == 0 || !strings.Contains(said, "sandbox:/mnt/data/") {
		return nil
	}
	var all []pointer
	for _, link := range sandboxLink.FindAllStringSubmatch(said, -1) {
		for _, f := range made {
			if f.name == path.Base(link[1]) {
				all = append(all, pointer{id: f.id, name: f.name, mime: f.mime, kind: "file", part: -1})
			}
		}
	}
	return all
}

// peekBytes of a file tell what it is.
const peekBytes = 512
