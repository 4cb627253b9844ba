package main_test

import (
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// wall says which rooms of ours a room may import, and why no others. Names
// are folders below the module; a trailing "/*" is every room below.
type wall struct {
	room string
	may  []string
	why  string
}

var walls = []wall{
	{"backend/memory", nil, "the words stand below everything"},
	{"backend/fault", nil, "errors stand below everything"},
	{"backend/product", nil, "names stand below everything"},
	{"backend/jcs", nil, "canonical JSON knows no domain"},
	{"backend/collector", nil, "when garbage is collected has nothing to do with what it was"},
	{"backend/plainfile", []string{"backend/fault"}, "opening a file without waiting knows no domain"},
	{"backend/atomicfile", []string{"backend/product"}, "writing a file safely knows no domain"},
	{"backend/keptblock", []string{"backend/atomicfile", "backend/plainfile", "backend/fault"}, "a file of somebody else's is edited without knowing what is written there"},
	{"schemas", nil, "data only"},
	{"backend/seal", []string{"backend/fault"}, "cryptography knows bytes, not memories"},
	{"backend/keychain", []string{"backend/fault", "backend/product"}, "the operating system's keychain knows no vault"},
	{"backend/intake", []string{"backend/plainfile", "backend/fault"}, "untrusted files are opened without knowing whose they are"},
	{"backend/schema", []string{"schemas", "backend/fault"}, "checking knows schemas, not the vault"},
	{"backend/vault/vaultdir", []string{"backend/atomicfile", "backend/plainfile", "backend/fault"}, "the folder is opened safely by who knows nothing of what is in its files"},
	{"backend/vault/journal", []string{"backend/vault/vaultdir", "backend/atomicfile", "backend/seal", "backend/fault"}, "a journal knows buckets and keys, not records"},
	{"backend/vault", []string{"backend/vault/vaultdir", "backend/vault/journal", "backend/memory", "backend/seal", "backend/atomicfile", "backend/plainfile", "backend/fault"}, "the vault stores; it reads no formats"},
	{"backend/vault/vaulttest", nil, "a search for readable bytes knows no vault"},
	{"backend/search", []string{"backend/memory", "backend/fault"}, "the index knows blocks and texts, not who keeps them"},
	{"backend/vectors", []string{"backend/search"}, "vectors lie beside the search index, in its store; whose texts they are of is known above"},
	{"backend/embed", []string{"backend/fault"}, "texts become vectors without knowing whose they are"},
	{"backend/compare", nil, "two texts are compared without knowing whose they are, or how their vectors were made"},
	{"backend/sensitive", []string{"backend/redact", "backend/language"}, "a text is looked through without knowing whose it is"},
	{"backend/topics", nil, "texts are grouped by vectors and words that are handed over, without knowing whose they are"},
	{"backend/language", nil, "the language of a text is told without knowing whose it is"},
	{"backend/extract", []string{"backend/memory", "backend/fault"}, "rules read what a person wrote; they know no vault"},
	{"backend/handoff", []string{"backend/memory", "backend/fault"}, "texts are made of memories that may leave; who may leave is decided above"},
	{"backend/importer/jsonstream", []string{"backend/fault"}, "reading JSON knows no provider and no drafts"},
	{"backend/importer", []string{"backend/importer/jsonstream", "backend/memory", "backend/intake", "backend/fault"}, "an importer translates; it stores nothing"},
	{"backend/importer/all", []string{"backend/importer", "backend/importer/*"}, "the list of readers"},
	{"backend/importer/sample", []string{"backend/importer/*", "backend/fault"}, "sample exports are files, made by code"},
	{"backend/importer/importertest", []string{"backend/importer", "backend/importer/*", "backend/importer/importertest/gen", "backend/core", "backend/memory", "backend/intake", "backend/fault"}, "the suite for all readers, and for what the Service makes of them"},
	{"backend/importer/importertest/gen", []string{"backend/importer/*"}, "fixtures are files, made by code"},
	{"backend/importer/pam", []string{"backend/importer", "backend/importer/jsonstream", "backend/format/pam", "backend/schema", "backend/memory", "backend/intake", "backend/fault"}, "the format is read in its own room"},
	{"backend/importer/mif", []string{"backend/importer", "backend/importer/jsonstream", "backend/format/mif", "backend/memory", "backend/intake", "backend/fault"}, "the format is read in its own room"},
	{"backend/importer/personal", []string{"backend/importer", "backend/importer/jsonstream", "backend/format/personal", "backend/memory", "backend/intake", "backend/fault"}, "the format is read in its own room"},
	{"backend/importer/*", []string{"backend/importer", "backend/importer/jsonstream", "backend/memory", "backend/intake", "backend/fault"}, "a provider room translates one provider"},
	{"backend/redact", nil, "rules read a text; they know no memory and no vault"},
	{"backend/format/personal", []string{"backend/format/markdown", "backend/memory", "backend/fault"}, "its Markdown is made safe where all Markdown is"},
	{"backend/format/*", []string{"backend/memory", "backend/jcs", "backend/schema", "backend/intake", "backend/redact", "backend/fault"}, "a format is read and written without a vault"},
	{"backend/core/memwipe", []string{"backend/collector"}, "clearing memory knows no Service and no vault"},
	{"backend/core/rows", []string{"backend/vault", "backend/search", "backend/memory", "backend/chapters", "backend/importer", "backend/importer/jsonstream", "backend/format/pam", "backend/format/personal", "backend/collector", "backend/fault"}, "rows and stored records know no session and no Service"},
	{"backend/core/files", []string{"backend/intake", "backend/plainfile", "backend/seal", "backend/format/pam", "backend/format/mif", "backend/fault"}, "opening what was handed over needs no vault"},
	{"backend/core/meaning", []string{"backend/core/library", "backend/core/rows", "backend/vault", "backend/vectors", "backend/compare", "backend/topics", "backend/search", "backend/memory", "backend/format/pam", "backend/format/personal", "backend/fault"}, "what is close in meaning is told of the library; the model is handed to it"},
	{"backend/core/circles", []string{"backend/core/library", "backend/core/rows", "backend/core/sensitivity", "backend/vault", "backend/seal", "backend/sensitive", "backend/memory", "backend/format/pam", "backend/fault"}, "who may be given what is told of the library; what leaves asks it"},
	{"backend/core/agents", []string{"backend/core/library", "backend/core/browse", "backend/core/circles", "backend/core/exports", "backend/core/files", "backend/core/imports", "backend/core/meaning", "backend/core/rows", "backend/vault", "backend/seal", "backend/search", "backend/extract", "backend/redact", "backend/memory", "backend/format/mif", "backend/format/pam", "backend/format/personal", "backend/intake", "backend/fault"}, "agents are answered with what the other rooms find, within what they were allowed"},
	{"backend/split", nil, "the facts of a text are told by its words, without knowing whose it is"},
	{"backend/chapters", []string{"backend/memory"}, "a chapter is told of one memory, without knowing whose it is"},
	{"backend/core/portrait", []string{"backend/core/library", "backend/core/meaning", "backend/core/rows", "backend/vault", "backend/chapters", "backend/split", "backend/handoff", "backend/memory", "backend/fault"}, "the portrait is read in the library, and reviewed there"},
	{"backend/core/sensitivity", []string{"backend/core/library", "backend/core/meaning", "backend/core/rows", "backend/vault", "backend/sensitive", "backend/memory", "backend/format/pam", "backend/fault"}, "what memories are about is told of the library; nothing leaves here"},
	{"backend/embedserver", []string{"backend/core/meaning", "backend/fault"}, "an encoder that asks a program on this computer; it is handed to the Service, which knows no network"},
	{"backend/core/browse", []string{"backend/core/library", "backend/core/meaning", "backend/core/rows", "backend/chapters", "backend/vault", "backend/vectors", "backend/search", "backend/memory", "backend/format/pam", "backend/fault"}, "looking at the library needs nothing but the library"},
	{"backend/core/documents", []string{"backend/core/library", "backend/core/files", "backend/core/rows", "backend/vault", "backend/importer", "backend/intake", "backend/atomicfile", "backend/plainfile", "backend/seal", "backend/schema", "backend/jcs", "backend/memory", "backend/format/pam", "backend/format/mif", "backend/fault"}, "documents are looked at without importing or exporting anything"},
	{"backend/core/exports", []string{"backend/core/library", "backend/core/browse", "backend/core/circles", "backend/core/meaning", "backend/core/sensitivity", "backend/core/documents", "backend/core/files", "backend/core/rows", "backend/vault", "backend/atomicfile", "backend/intake", "backend/schema", "backend/seal", "backend/redact", "backend/handoff", "backend/keptblock", "backend/memory", "backend/format/*", "backend/fault", "backend/product"}, "an export only reads, and knows no import"},
	{"backend/core/imports", []string{"backend/core/library", "backend/core/browse", "backend/core/documents", "backend/core/proposals", "backend/core/files", "backend/core/rows", "backend/vault", "backend/importer", "backend/importer/jsonstream", "backend/intake", "backend/plainfile", "backend/seal", "backend/redact", "backend/memory", "backend/format/pam", "backend/format/mif", "backend/fault"}, "an import knows neither exports nor how the vault is opened and locked"},
	{"backend/core/lifecycle", []string{"backend/core/library", "backend/core/meaning", "backend/core/documents", "backend/core/exports", "backend/core/files", "backend/core/imports", "backend/core/memwipe", "backend/core/rows", "backend/vault", "backend/seal", "backend/atomicfile", "backend/plainfile", "backend/importer/sample", "backend/memory", "backend/format/pam", "backend/format/personal", "backend/fault"}, "opening and locking stops imports and reads nothing itself; readers are handed to imports"},
	{"backend/core/proposals", []string{"backend/core/library", "backend/core/browse", "backend/core/meaning", "backend/core/rows", "backend/vault", "backend/extract", "backend/format/personal", "backend/memory", "backend/fault"}, "what is proposed is found in the library, whatever brought it there"},
	{"backend/core/library", []string{"backend/core/rows", "backend/vault", "backend/search", "backend/memory", "backend/format/pam", "backend/format/mif", "backend/format/personal", "backend/schema", "backend/language", "backend/collector", "backend/fault", "backend/product"}, "the library knows nobody who uses it"},
	{"backend/core", []string{"backend/*", "backend/core/*", "backend/format/*", "backend/importer", "backend/importer/sample"}, "the Service joins rooms; readers are handed to it"},
	{"backend/bench", []string{"backend/core", "backend/embed", "backend/importer/all", "backend/memory", "backend/seal", "backend/fault", "backend/product"}, "what is measured is what people run: the Service; the floors derive and open as the vault does"},
	{"app/bridge", []string{"app/clients", "app/downloads", "app/sessions", "backend/core", "backend/memory", "backend/fault", "backend/product"}, "a door knows the Service only, and the settings and folders of assistants, which are known without it"},
	{"app/terminal", nil, "printing knows no door"},
	{"app/clients", []string{"backend/atomicfile", "backend/plainfile", "backend/fault", "backend/product"}, "the settings of assistants are written without a vault"},
	{"app/cli", []string{"app/clients", "app/downloads", "app/sessions", "app/terminal", "backend/core", "backend/memory", "backend/atomicfile", "backend/plainfile", "backend/fault", "backend/bench", "backend/product"}, "a door knows the Service only; what is measured is a room of its own, and so is how files are opened, and the folder that a file passes through to standard output"},
	{"app/loopback", []string{"backend/fault"}, "serving programs on this computer knows neither a page nor a protocol"},
	{"app/web", []string{"app/bridge", "app/loopback", "frontend", "backend/atomicfile", "backend/plainfile", "backend/core", "backend/memory", "backend/fault", "backend/product"}, "the browser's door shows the bridge over HTTP; the folders it prepares downloads in are removed after a kill as other temporary ones are"},
	{"app/localsocket", []string{"backend/product"}, "processes of one person find each other without knowing what for"},
	{"app/sessions", []string{"app/clients", "backend/atomicfile", "backend/plainfile", "backend/fault"}, "files of other programs are found and opened without a vault"},
	{"app/downloads", []string{"app/clients", "backend/core"}, "what lies in the downloads folder is asked of the Service, which takes nothing"},
	{"app/folderwatch", []string{"backend/fault"}, "watching folders knows neither a vault nor what lies in them"},
	{"app/hooks", []string{"app/clients", "app/owner", "app/sessions", "backend/core", "backend/fault"}, "what an assistant starts asks the owner, and never opens a vault"},
	{"app/owner", []string{"app/clients", "app/downloads", "app/localsocket", "app/folderwatch", "app/sessions", "backend/core", "backend/memory", "backend/plainfile", "backend/fault", "backend/product"}, "a door knows the Service only; agents come in through it, and what is taken from folders"},
	{"app/mcp", []string{"app/loopback", "app/owner", "backend/jcs", "backend/core", "backend/memory", "backend/fault", "backend/product"}, "the protocol of assistants asks the owner, and never opens a vault"},
	{"app/system/bustest", nil, "a bus for tests knows no door"},
	{"app/system", []string{"backend/product"}, "what is asked of the operating system knows no vault"},
	{"app/desktop", []string{"app/bridge", "app/localsocket", "app/system", "frontend", "backend/core", "backend/memory", "backend/fault", "backend/product"}, "the window's door shows the bridge in a web view"},
	{"app", []string{"app/*", "frontend", "backend/core", "backend/embed", "backend/embedserver", "backend/importer/all", "backend/collector", "backend/keychain", "backend/fault", "backend/product"}, "the one place that joins the parts"},
	{"frontend", nil, "the built page, embedded"},
	{"e2e/*", []string{"backend/importer/importertest/gen"}, "fixtures for the tests of the page"},
	{"scripts/manpages", []string{"app/cli"}, "manual pages are made of the commands"},
	{"scripts/mcpb", []string{"app/clients"}, "the extension is of the room that knows the assistants"},
	{"scripts/*", nil, "what measures the code is no part of it"},
	{"", []string{"app", "frontend"}, "main calls app"},
}

// thirdParty says which room alone may import a library.
var thirdParty = []wall{
	{"github.com/wailsapp/wails", []string{"app/desktop"}, "the web view is one door's business"},
	{"github.com/spf13/cobra", []string{"app/cli", "scripts/manpages"}, "the command line is one door's business; its manual pages are made with cobra's own"},
	{"go.etcd.io/bbolt", []string{"backend/vault", "backend/vault/journal"}, "the vault owns the file, and the journal what lies over it"},
	{"github.com/zalando/go-keyring", []string{"backend/keychain"}, "the operating system's keychain is one room's business"},
	{"golang.org/x/crypto/argon2", []string{"backend/seal"}, "one room owns the cryptography of the vault"},
	{"crypto/cipher", []string{"backend/seal"}, "one room owns the cryptography of the vault"},
	{"github.com/santhosh-tekuri/jsonschema", []string{"backend/schema"}, "one room compiles schemas"},
	{"github.com/modelcontextprotocol/go-sdk", []string{"app/mcp"}, "the protocol of assistants is one door's business"},
	{"github.com/google/jsonschema-go", []string{"app/mcp"}, "it describes the tools of that protocol"},
	{"github.com/fsnotify/fsnotify", []string{"app/folderwatch"}, "the file notifications of the system are one room's business"},
	{"github.com/tailscale/hujson", []string{"app/clients"}, "settings of other programs are edited in one room"},
	{"github.com/pelletier/go-toml", []string{"app/clients"}, "settings of other programs are edited in one room"},
	{"github.com/gowebpki/jcs", []string{"backend/jcs"}, "one room is the referee of canonical JSON"},
}

type pkg struct {
	ImportPath string
	Imports    []string
}

// TestWalls holds the map of rooms: who may import whom.
func TestWalls(t *testing.T) {
	for _, p := range packages(t) {
		room := inHouse(p.ImportPath)
		w, ok := wallOf(room)
		if !ok {
			t.Errorf("room %q has no wall; add it to the table with a reason", room)
			continue
		}
		for _, im := range p.Imports {
			checkImport(t, room, w, im)
		}
	}
}

func checkImport(t *testing.T, room string, w wall, im string) {
	t.Helper()
	if im == "keepsake" || strings.HasPrefix(im, "keepsake/") {
		if to := inHouse(im); !slices.ContainsFunc(w.may, func(m string) bool { return covers(m, to) }) {
			t.Errorf("%s imports %s, but %s", room, to, w.why)
		}
		return
	}
	for _, lib := range thirdParty {
		if strings.HasPrefix(im, lib.room) && !slices.Contains(lib.may, room) {
			t.Errorf("%s imports %s, but %s", room, im, lib.why)
		}
	}
}

// TestOnlyTheWindowKnowsWails follows dependencies all the way down.
func TestOnlyTheWindowKnowsWails(t *testing.T) {
	for _, p := range packages(t) {
		room := inHouse(p.ImportPath)
		if room == "" || room == "app" || room == "app/desktop" {
			continue
		}
		out, err := exec.Command("go", "list", "-pgo=off", "-deps", p.ImportPath).Output()
		if err != nil {
			t.Fatalf("go list -deps %s: %v", p.ImportPath, err)
		}
		if strings.Contains(string(out), "wailsapp") {
			t.Errorf("%s depends on Wails", room)
		}
	}
}

func packages(t *testing.T) []pkg {
	t.Helper()
	// With the profile, go list names what main imports as another build of it.
	out, err := exec.Command("go", "list", "-pgo=off", "-json=ImportPath,Imports", "./...").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	var all []pkg
	dec := json.NewDecoder(strings.NewReader(string(out)))
	for {
		var p pkg
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatalf("read go list: %v", err)
		}
		if !strings.Contains(p.ImportPath, "node_modules") {
			all = append(all, p)
		}
	}
	if len(all) < 10 {
		t.Fatalf("go list found only %d packages", len(all))
	}
	return all
}

func inHouse(importPath string) string {
	return strings.TrimPrefix(strings.TrimPrefix(importPath, "keepsake"), "/")
}

// wallOf finds the room's own row, or the row of the rooms it is one of.
func wallOf(room string) (wall, bool) {
	for _, w := range walls {
		if w.room == room {
			return w, true
		}
	}
	for _, w := range walls {
		if covers(w.room, room) {
			return w, true
		}
	}
	return wall{}, false
}

func covers(pattern, room string) bool {
	if base, ok := strings.CutSuffix(pattern, "/*"); ok {
		rest, below := strings.CutPrefix(room, base+"/")
		return below && !strings.Contains(rest, "/")
	}
	return pattern == room
}

// TestNothingLeavesByTheNetwork holds that below the doors nothing talks to another
// computer: what is looked through there, and what leaves, leaves as a file or not at all.
// One package has a network, and its own tests hold that it reaches this computer only.
func TestNothingLeavesByTheNetwork(t *testing.T) {
	for _, p := range packages(t) {
		if room := inHouse(p.ImportPath); room != "backend/embedserver" && strings.HasPrefix(room, "backend/") && (slices.Contains(p.Imports, "net") || slices.Contains(p.Imports, "net/http")) {
			t.Errorf("%s imports %q", room, p.Imports)
		}
	}
	out, err := exec.Command("go", "list", "-pgo=off", "-deps", "./backend/core", "./backend/importer/all").Output()
	if err != nil {
		t.Fatalf("go list -deps: %v", err)
	}
	for _, dep := range strings.Fields(string(out)) {
		if dep == "net/http" || dep == "crypto/tls" || dep == "net/smtp" {
			t.Errorf("the Service depends on %s", dep)
		}
	}
}
