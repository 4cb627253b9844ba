package core_test

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"keepsake/backend/core"
	"keepsake/backend/fault"
	"keepsake/backend/memory"
)

// truth is what a vault held before it was damaged.
type truth struct {
	memories      map[string]string // id → content, of those that may leave
	relations     map[string]bool
	conversations map[string][]string // id → texts of the messages, in order
	files         map[string]string   // name → content, of the attachments that messages name
}

func (k *kit) truth() truth {
	k.t.Helper()
	out := truth{map[string]string{}, map[string]bool{}, map[string][]string{}, map[string]string{}}
	for _, m := range k.memories(core.MemoryQuery{}) {
		out.memories[m.ID] = m.Content
	}
	for _, rel := range ok(k.Relations(ctx)) {
		out.relations[rel.ID] = true
	}
	for _, c := range ok(k.Conversations(ctx, core.ConversationQuery{Limit: 100})).Items {
		whole := k.conversation(c.ID)
		texts := []string{}
		for _, m := range whole.Messages {
			texts = append(texts, m.Content.PlainText())
			for _, a := range m.Attachments {
				out.files[a.Name] = k.text(a.Ref)
			}
		}
		out.conversations[c.ID] = texts
	}
	return out
}

// text is what an attachment holds.
func (k *kit) text(ref string) string {
	k.t.Helper()
	f, _, err := k.OpenAttachment(ctx, ref)
	if err != nil {
		k.t.Fatal(err)
	}
	defer f.Close()
	return string(ok(io.ReadAll(f)))
}

// rescued is what a bundle of the readable holds, read again.
func (k *kit) rescued(path string) truth {
	k.t.Helper()
	out := truth{map[string]string{}, map[string]bool{}, map[string][]string{}, map[string]string{}}
	all := unpack(k.t.(*testing.T), path)
	for name, text := range all {
		switch {
		case name == "memory-store.json":
			s := readStore(k.t.(*testing.T), text)
			for _, m := range s.Memories {
				out.memories[m.ID] = m.Content
			}
			for _, rel := range s.Relations {
				out.relations[rel.ID] = true
			}
		case strings.HasPrefix(name, "conversations/"):
			var c memory.Conversation
			if err := json.Unmarshal(text, &c); err != nil {
				k.t.Fatal(err)
			}
			texts := []string{}
			for _, m := range c.Messages {
				texts = append(texts, m.Content.PlainText())
				for _, a := range m.Attachments {
					if content, there := all[a.Ref]; there {
						out.files[a.Name] = string(content)
					} else if a.Ref != "" {
						k.t.Errorf("%s names %s, which is not in the bundle", c.ID, a.Ref)
					}
				}
			}
			out.conversations[c.ID] = texts
		}
	}
	return out
}

// stays is what a memory says that was marked, in its second version, as one
// that may not leave.
const stays = "this stays at home"

// wreckable is a locked vault with more in it than fits into a few pages, and
// what it held.
func wreckable(t *testing.T) (*kit, truth) {
	k := full(t)
	var b book
	for i := range 40 {
		c := talk{ID: fmt.Sprint("talk", i), Title: fmt.Sprint("Talk ", i), At: dayOne, Updated: dayOne}
		for n := range 6 {
			c.Lines = append(c.Lines, line{ID: fmt.Sprint("l", i, "-", n), Role: "user", Text: fmt.Sprintf("line %d of talk %d %s", n, i, strings.Repeat("word ", 200)), At: dayOne})
		}
		b.Conversations = append(b.Conversations, c)
	}
	b.Conversations[7].File = "notes.txt"
	k.imports(k.write("many.zip", b, "notes.txt", numbers(300_000)))
	for i := range 80 {
		k.add(fmt.Sprintf("I planted tree number %d", i))
	}
	kept := k.add(stays)
	ok(k.EditMemory(ctx, kept.ID, core.MemoryEdit{Exportable: to(false)}))
	held := k.truth()
	delete(held.memories, kept.ID)
	if err := k.Lock(ctx); err != nil {
		t.Fatal(err)
	}
	return k, held
}

func (k *kit) damage(change func(raw []byte) []byte) {
	k.t.Helper()
	path := filepath.Join(k.cfg.VaultDir, "vault.db")
	raw, err := os.ReadFile(path)
	if err == nil {
		err = os.WriteFile(path, change(raw), 0o600)
	}
	if err != nil {
		k.t.Fatal(err)
	}
}

func (k *kit) remove(names ...string) {
	k.t.Helper()
	for _, name := range names {
		if err := os.RemoveAll(filepath.Join(k.cfg.VaultDir, name)); err != nil {
			k.t.Fatal(err)
		}
	}
}

// treeless is a data file without its start pages, branches and free list. A page
// begins with its number; what does not is the rest of a long value.
func treeless(raw []byte) []byte {
	const page = 4096
	for at := 0; at+page <= len(raw); at += page {
		begins := binary.LittleEndian.Uint64(raw[at:]) == uint64(at/page)
		if flags := raw[at+8]; at < 2*page || begins && (flags == 0x01 || flags == 0x10) {
			clear(raw[at : at+page])
		}
	}
	return raw
}

// Promise: of a vault that nothing opens any more, whatever is intact leaves in
// an open format, and what was damaged is told.
func TestExportOfWhatCanBeRead(t *testing.T) {
	for name, damage := range map[string]func(k *kit){
		"whole":              func(*kit) {},
		"no tree, no copies": func(k *kit) { k.damage(treeless); k.remove("snapshots", "journal", "vault.gen") },
		"no tree, only its header": func(k *kit) {
			k.damage(treeless)
			k.remove("snapshots", "journal", "vault.head", "vault.gen")
			k.scribble("vault.head.bak")
		},
		"a lost attachment":           (*kit).spoil,
		"no data file":                func(k *kit) { k.remove("vault.db") },
		"no data file, copy in parts": func(k *kit) { k.remove("vault.db"); k.inCopies(treeless) },
	} {
		t.Run(name, func(t *testing.T) {
			k, held := wreckable(t)
			damage(k)
			lost := 0
			if name == "a lost attachment" {
				lost = 1
				delete(held.files, "notes.txt")
			}
			before := k.folder()
			dest := filepath.Join(k.root, "out.pam.zip")
			r, err := k.ExportReadable(ctx, dest, core.Secret{Passphrase: passphrase})
			if err != nil {
				t.Fatal(err)
			}
			got := k.rescued(dest)
			if !maps.Equal(got.memories, held.memories) || !maps.Equal(got.relations, held.relations) {
				t.Errorf("%d of %d memories, %d of %d relations", len(got.memories), len(held.memories), len(got.relations), len(held.relations))
			}
			if !maps.EqualFunc(got.conversations, held.conversations, slices.Equal) {
				t.Errorf("%d of %d conversations, or with other messages", len(got.conversations), len(held.conversations))
			}
			if !maps.Equal(got.files, held.files) || r.Attachments != len(held.files) || r.LostAttachments != lost {
				t.Errorf("%d of %d attachments, or with other bytes; it reports %+v", len(got.files), len(held.files), r)
			}
			if r.Memories != len(held.memories) || r.Conversations != len(held.conversations) || r.Excluded["not-exportable"] != 1 || r.Unreadable != 0 || r.Incomplete != 0 {
				t.Errorf("it reports %+v", r)
			}
			if r.Counted == nil || r.Counted.Memories != len(held.memories)+1 || r.Counted.Conversations != len(held.conversations) {
				t.Errorf("it says that there were %+v", r.Counted)
			}
			k.valid(dest)
			if after := k.folder(); !maps.Equal(before, after) {
				t.Error("the vault's files were changed")
			}
		})
	}
}

// folder is every file of the vault by its name, but the lock.
func (k *kit) folder() map[string]string {
	k.t.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(k.cfg.VaultDir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() || d.Name() == "lock" {
			return err
		}
		text, err := os.ReadFile(path)
		out[path] = string(text)
		return err
	})
	if err != nil {
		k.t.Fatal(err)
	}
	return out
}

// spoil changes a byte in the second chunk of every attachment that has one.
func (k *kit) spoil() {
	k.t.Helper()
	for path, text := range k.folder() {
		const at = 3 << 19
		if filepath.Base(filepath.Dir(path)) != "blobs" || len(text) < at {
			continue
		}
		if err := os.WriteFile(path, []byte(text[:at]+string([]byte{text[at] ^ 1})+text[at+1:]), 0o600); err != nil {
			k.t.Fatal(err)
		}
	}
}

// scribble makes a file useless.
func (k *kit) scribble(name string) {
	k.t.Helper()
	if err := os.WriteFile(filepath.Join(k.cfg.VaultDir, name), []byte("KEEPSAKE and nothing more"), 0o600); err != nil {
		k.t.Fatal(err)
	}
}

// inCopies damages the data file of every copy inside the vault.
func (k *kit) inCopies(change func([]byte) []byte) {
	k.t.Helper()
	copies, err := filepath.Glob(filepath.Join(k.cfg.VaultDir, "snapshots", "*", "vault.db"))
	if err != nil || len(copies) == 0 {
		k.t.Fatalf("copies: %v, %v", copies, err)
	}
	for _, path := range copies {
		raw, err := os.ReadFile(path)
		if err == nil {
			err = os.WriteFile(path, change(raw), 0o600)
		}
		if err != nil {
			k.t.Fatal(err)
		}
	}
}

// Promise: with one page in five gone besides, nothing comes out that was never
// put in, a good part does, and the report says what lacks.
func TestExportOfWhatCanBeReadOfPieces(t *testing.T) {
	memories, whole, parts := 0, 0, 0
	var total truth
	for shift := range 5 {
		k, held := wreckable(t)
		total = held
		k.damage(treeless)
		k.damage(func(raw []byte) []byte {
			for at := (2 + shift) * 4096; at+4096 <= len(raw); at += 5 * 4096 {
				clear(raw[at : at+4096])
			}
			return raw
		})
		k.remove("snapshots", "journal")
		dest := filepath.Join(k.root, "out.zip")
		r, err := k.ExportReadable(ctx, dest, core.Secret{Passphrase: passphrase})
		if fault.CodeOf(err) == fault.Damaged { // the page of the key was among them
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		got := k.rescued(dest)
		for id, content := range got.memories {
			if held.memories[id] != content && content != stays { // of which the version before may be all that is left
				t.Errorf("shift %d: a memory says %q, which it never did", shift, content)
			}
		}
		said := map[string]bool{}
		for _, texts := range held.conversations {
			for _, text := range texts {
				said[text] = true
			}
		}
		for id, texts := range got.conversations {
			for _, text := range texts {
				if !said[text] {
					t.Errorf("shift %d: %s holds a message that nobody wrote", shift, id)
				}
			}
			if slices.Equal(texts, held.conversations[id]) {
				whole++
			}
		}
		if lacks := len(held.conversations)*6 - r.Messages; lacks > 20 && r.Incomplete+len(held.conversations)-len(got.conversations) == 0 {
			t.Errorf("shift %d: messages lack and the report does not say so: %+v", shift, r)
		}
		memories += len(got.memories)
		parts += r.Incomplete
	}
	t.Logf("of 5 × %d memories %d came back, of 5 × %d conversations %d whole and %d in parts", len(total.memories), memories, len(total.conversations), whole, parts)
	if memories < len(total.memories) || whole < len(total.conversations) {
		t.Error("too little came back")
	}
}

// Promise: where nothing can be read there is a sentence, and no file.
func TestExportOfNothing(t *testing.T) {
	k, _ := wreckable(t)
	k.damage(func(raw []byte) []byte { clear(raw); return raw })
	k.remove("snapshots", "journal")
	dest := filepath.Join(k.root, "out.json")
	_, err := k.ExportReadable(ctx, dest, core.Secret{Passphrase: passphrase})
	wantFault(t, err, fault.Damaged, "nothing-readable")
	_, err = k.ExportReadable(ctx, dest, core.Secret{Passphrase: []byte("not the passphrase")})
	wantFault(t, err, fault.WrongPassphrase, "wrong-passphrase")
	if _, err := os.Stat(dest); err == nil {
		t.Error("a file was written")
	}
}

// numbers is a text that a zip does not shrink to nothing.
func numbers(n int) string {
	var text []byte
	for i := range n {
		text = strconv.AppendInt(text, int64(i), 10)
		text = append(text, ' ')
	}
	return string(text)
}
