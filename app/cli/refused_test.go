package cli_test

import (
	"crypto/sha256"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	bolt "go.etcd.io/bbolt"

	"keepsake/backend/importer/importertest/gen"
)

// durable is what lies in the folder of a vault, piece by piece: the sum of every
// file, and of every sealed value in vault.db by its bucket and key. index.db can be
// made anew at any time, and lock is empty.
type durable map[string][sha256.Size]byte

// lyingIn reads a folder that nobody has open.
func lyingIn(t *testing.T, dir string) durable {
	t.Helper()
	d := durable{}
	err := filepath.WalkDir(dir, func(path string, at fs.DirEntry, err error) error {
		name, _ := filepath.Rel(dir, path)
		if err != nil || at.IsDir() || name == "index.db" || name == "lock" {
			return err
		}
		if name == "vault.db" {
			return d.values(path)
		}
		text, err := os.ReadFile(path)
		if filepath.Dir(name) == "journal" {
			name = "journal" // one file, named for when it was begun
		}
		d[filepath.ToSlash(name)] = sha256.Sum256(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func (d durable) values(path string) error {
	db, err := bolt.Open(path, 0o600, &bolt.Options{ReadOnly: true})
	if err != nil {
		return err
	}
	defer db.Close()
	return db.View(func(tx *bolt.Tx) error {
		return tx.ForEach(func(bucket []byte, b *bolt.Bucket) error {
			return b.ForEach(func(key, value []byte) error {
				d[fmt.Sprintf("vault.db/%x/%x", bucket, key)] = sha256.Sum256(value)
				return nil
			})
		})
	})
}

// since lists what is other than it was: what changed or went by its name, and what
// is new by its place.
func (d durable) since(was durable) (changes []string) {
	for name, sum := range d {
		before, there := was[name]
		switch {
		case !there:
			changes = append(changes, "new in "+filepath.ToSlash(filepath.Dir(name)))
		case before != sum:
			changes = append(changes, "changed "+name)
		}
	}
	for name := range was {
		if _, there := d[name]; !there {
			changes = append(changes, "gone "+name)
		}
	}
	slices.Sort(changes)
	return changes
}

// refusing is a vault, and the command line to it.
type refusing struct {
	t    *testing.T
	root string
	look []string // what the folder shows of a look into the vault: that it was unlocked
}

func (r *refusing) path(name string) string { return filepath.Join(r.root, name) }

func (r *refusing) run(pass string, args ...string) (code int, said, problems string) {
	r.t.Helper()
	var out, err strings.Builder
	cmd := exec.Command("keepsake", append([]string{"--vault", r.path("vault"), "--passphrase-file", r.path(pass), "--json"}, args...)...)
	cmd.Dir, cmd.Env = r.root, append(os.Environ(), "HOME="+r.root, "XDG_CONFIG_HOME="+r.path("config"), "XDG_CACHE_HOME="+r.path("cache"),
		"APPDATA="+r.path("config"), "LOCALAPPDATA="+r.path("cache")) // the same on Windows
	cmd.Stdout, cmd.Stderr = &out, &err
	if err := cmd.Run(); err != nil && cmd.ProcessState == nil {
		r.t.Fatal(err)
	}
	return cmd.ProcessState.ExitCode(), out.String(), err.String()
}

func (r *refusing) ok(args ...string) string {
	r.t.Helper()
	code, said, problems := r.run("pass", args...)
	if code != 0 {
		r.t.Fatalf("%q: exit code %d\n%s%s", args, code, said, problems)
	}
	return said
}

// leaves runs a command that must be refused, and demands that the vault is as it
// was, but for what a look leaves.
func (r *refusing) leaves(args ...string) {
	r.t.Helper()
	was := lyingIn(r.t, r.path("vault"))
	code, said, problems := r.run("pass", args...)
	if code == 0 || code == 5 || code == 70 || code < 0 {
		r.t.Errorf("%q: exit code %d\n%s%s", args, code, said, problems)
	}
	if changes := lyingIn(r.t, r.path("vault")).since(was); len(changes) > 0 && !slices.Equal(changes, r.look) {
		r.t.Errorf("%q changed the vault:\n%s\n%s", args, strings.Join(changes, "\n"), said)
	}
	if found, _ := filepath.Glob(r.path("out*")); len(found) > 0 {
		r.t.Errorf("%q left %q", args, found)
	}
}

const one, two, nobody = "00000001-1111-4222-8333-000000000001", "00000002-1111-4222-8333-000000000001", "00000009-1111-4222-8333-000000000001"

const mifHead = `{"mif_version":"1.0","export":{"id":"exp_1","created_at":"2026-02-01T00:00:00Z","user_id":"robin"},`

// hostileFiles are what no import takes.
func hostileFiles() map[string][]byte {
	text := func(s string) []byte { return []byte(s) }
	chat, _ := gen.ChatGPT(gen.ChatGPTOptions{Seed: 1})
	memory := `{"id":"mem_` + nobody + `","content":"Never stored","type":"Pattern","created_at":"2026-01-01T00:00:00Z"`
	var bomb strings.Builder
	bomb.WriteString("mif_version: \"1.0\"\na: &a [x, x, x, x, x, x, x, x, x]\n")
	for c := 'b'; c < 'k'; c++ {
		fmt.Fprintf(&bomb, "%c: &%c [*%c, *%c, *%c, *%c, *%c, *%c, *%c, *%c, *%c]\n", c, c, c-1, c-1, c-1, c-1, c-1, c-1, c-1, c-1, c-1)
	}
	envelope := func(kdf, payload string) []byte {
		return text(`{"mif_version":"1.0","encryption":{"algorithm":"aes-256-gcm","key_derivation":"argon2id","format":"mif+json",` + kdf +
			`"iv":"AAAAAAAAAAAAAAAA","encrypted_payload":"` + payload + `","auth_tag":"AAAAAAAAAAAAAAAAAAAAAA=="}}`)
	}
	kdf := func(kib, t, p int) string {
		return fmt.Sprintf(`"kdf":{"name":"argon2id","version":19,"m_kib":%d,"t":%d,"p":%d,"salt":"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="},`, kib, t, p)
	}
	return map[string][]byte{
		"nothing":               nil,
		"text.zip":              text("This is a plain text, whatever its name says."),
		"cut.zip":               chat[:2*len(chat)/3],
		"head-only.zip":         text("PK\x03\x04 and then nothing"),
		"beyond.zip":            gen.Zip([]gen.File{{Name: "../../vault/vault.db", Data: text("gone")}}),
		"empty-list.zip":        gen.Zip([]gen.File{{Name: "conversations.json", Data: text("[]")}}),
		"unknown.json":          text(`{"hello":["world"]}`),
		"zeros.json":            make([]byte, 4096),
		"latin.mif.json":        text(mifHead + "\"memories\":[" + memory[:30] + "\xE9\"}]}"),
		"newer.mif.json":        text(`{"mif_version":"3.0","export":{"id":"e","user_id":"r"},"memories":[` + memory + `}]}`),
		"versionless.mif.json":  text(`{"export":{"id":"e","user_id":"r"},"memories":[` + memory + `}]}`),
		"empty.mif.json":        text(mifHead + `"memories":[]}`),
		"deep.mif.json":         text(mifHead + `"x":` + strings.Repeat("[", 1000) + strings.Repeat("]", 1000) + `,"memories":[` + memory + `}]}`),
		"twice.mif.json":        text(mifHead + `"memories":[],"memories":[` + memory + `}]}`),
		"long.mif.json":         text(mifHead + `"x":"` + strings.Repeat("a", 13<<20) + `","memories":[` + memory + `}]}`),
		"alias.mif.yaml":        text("mif_version: \"1.0\"\nexport: &e {id: e, user_id: r}\nmemories: []\nagain: *e\n"),
		"bomb.mif.yaml":         text(bomb.String()),
		"tag.mif.yaml":          text("mif_version: \"1.0\"\nexport: {id: e, user_id: r}\nmemories: !!python/object:os.system []\n"),
		"no-salt.mif.json":      envelope("", "AAAA"),
		"cheap.mif.json":        envelope(kdf(8, 1, 1), "AAAA"),
		"dear.mif.json":         envelope(kdf(1<<30, 1, 1), "AAAA"),
		"forged.mif.json":       envelope(kdf(19<<10, 2, 1), strings.Repeat("AAAA", 100)),
		"newer.pam.json":        text(`{"schema":"portable-ai-memory","schema_version":"9.0","memories":[]}`),
		"cut.pam.json":          text(`{"schema":"portable-ai-memory","schema_version":"1.0","owner":{"id":"o"},"memories":[{"id":"x"`),
		"newer-personal.json":   text(`{"export_version":"9.0","user_id":"u","exported_at":"2026-01-01T00:00:00Z","record_count":0,"categories":{}}`),
		"short-pass":            text("x\n"),
		"other-pass":            text("not the passphrase of this vault\n"),
		"file-pass":             text("a passphrase of the file\n"),
		"vault-like/vault.head": text("not a header"),
		"not-a-backup.keepsake": text("not a backup"),
		"not-a-key.json":        text("{}"),
	}
}

// inputs are the commands that are given a hostile file.
func inputs() (all [][]string) {
	for name := range hostileFiles() {
		if strings.Contains(name, "pass") || strings.Contains(name, "key") || strings.Contains(name, "vault") || strings.Contains(name, "backup") {
			continue
		}
		all = append(all, []string{"import", name})
		if strings.Contains(name, ".mif.") {
			all = append(all, []string{"import", name, "--in-passphrase-file", "file-pass", "--merge", "overwrite"})
		}
	}
	return all
}

// wrongs are commands that a person or a program gets wrong.
func wrongs() [][]string {
	return [][]string{
		{"bogus"}, {"list", "--bogus"}, {"show", "a", "b"}, {"list", "nothing"}, {"list", "memories", "--limit", "-1"}, {"show", nobody},
		{"import", "missing.zip"}, {"import", "chat.zip", "--provider", "bogus"}, {"import", "good.mif.json", "--merge", "guess"},
		{"import", "good.mif.json", "--on-conflict", "guess"}, {"undo-import", nobody}, {"undo-status", nobody}, {"undo-status", one}, {"reread", nobody},
		{"add", "--type", "nonsense", "text"}, {"add", ""}, {"add", "--importance", "2", "text"}, {"add", "--category", "none", "text"},
		{"edit", one}, {"edit", nobody, "--summary", "x"}, {"edit", one, "--type", "nonsense"}, {"edit", one, "--content", ""},
		{"edit", one, "--visibility", "everybody"}, {"edit", one, "--valid-from", "2026-05-01", "--valid-until", "2026-01-01"},
		{"edit", one, "--valid-until", "someday"}, {"edit", one, "--importance", "7"}, {"edit", one, "--language", "not a language"},
		{"set-status", one, "nonsense"}, {"set-status", nobody, "archived"}, {"supersede", one}, {"supersede", one, "--by", one}, {"supersede", one, "--by", nobody},
		{"retract", nobody}, {"archive", nobody}, {"relate", one, "supports", one}, {"relate", one, "nonsense", two}, {"relate", one, "supports", nobody},
		{"unrelate", nobody}, {"accept", nobody}, {"reject", nobody}, {"merge-proposal", nobody, one}, {"merge-proposal", nobody, nobody},
		{"forget"}, {"forget", "--id", nobody, "--yes"}, {"forget", "--id", one}, {"forget", "--tag", "", "--yes"}, {"forget", "--before", "someday", "--yes"},
		{"forget", "--query", "type:nonsense", "--yes"}, {"forget", "--conversation", nobody, "--yes"},
		{"todos", "add", ""}, {"todos", "add", "x", "--due", "soon"}, {"todos", "add", "x", "--priority", "odd"}, {"todos", "done", nobody}, {"todos", "remove", nobody}, {"todos", "edit", nobody, "--text", "x"},
		{"grants", "give", nobody, "somebody"}, {"grants", "give", one, ""}, {"grants", "take", one, "nobody-known"},
		{"types", "describe", "fact", "mine"}, {"compaction", "limits", "--tokens", "-1"}, {"compaction", "limits", "--days", "0"}, {"compaction", "apply", nobody}, {"compaction", "apply"},
		{"handoff", "nobody"}, {"handoff", "chatgpt", "--budget", "0"}, {"handoff", "chatgpt", "--budget", "-5"}, {"handoff", "rules", "nobody"},
		{"export", "nothing"}, {"export", "pam", "-o", "no/such/folder/out.json"}, {"export", "pam", "--type", "nonsense", "-o", "out.json"},
		{"export", "pam", "--tag", "none-has-it", "-o", "out.json"}, {"export", "mif", "--version", "3", "-o", "out.mif.json"}, {"export", "mif", "--format", "xml", "-o", "out.mif.xml"},
		{"export", "mif", "--encrypt", "--out-passphrase-file", "short-pass", "-o", "out.mif.json"}, {"export", "personal", "--category", "none", "-o", "out.json"},
		{"export", "markdown", "--for", "somebody", "-o", "out.zip"}, {"export", "csv", "--status", "nonsense", "-o", "out.csv"},
		{"search", "type:nonsense"}, {"search", "x", "--min-score", "2"}, {"search", "x", "--category", "none"},
		{"restore", "not-a-backup.keepsake"}, {"backup", "no/such/folder/out"}, {"destroy"}, {"destroy", "--confirm", nobody}, {"init", "--kdf", "test"},
		{"keys", "trust", "not-a-key.json"}, {"keys", "revoke", nobody}, {"passphrase"}, {"recovery", "use"}, {"sign", "good.mif.json"},
	}
}

// TestRefusedCommandsLeaveTheVault: whatever is refused, for its use, its input or
// what the vault says, leaves every sealed value and every file as it was. A command
// that unlocks the vault leaves what every look leaves: an entry in the log, the
// state, the generation, the journal's head.
func TestRefusedCommandsLeaveTheVault(t *testing.T) {
	r := &refusing{t: t, root: t.TempDir()}
	chat, _ := gen.ChatGPT(gen.ChatGPTOptions{Seed: 1})
	files := hostileFiles()
	files["pass"], files["chat.zip"] = []byte("correct horse battery staple\n"), chat
	files["good.mif.json"] = []byte(mifHead + `"memories":[{"id":"mem_` + one + `","content":"Robin likes tea","type":"Pattern","created_at":"2026-01-01T00:00:00Z"},` +
		`{"id":"mem_` + two + `","content":"Robin lives in Porto","type":"Observation","created_at":"2026-01-01T00:00:00Z"}]}`)
	for name, text := range files {
		if err := os.MkdirAll(filepath.Dir(r.path(name)), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(r.path(name), text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	r.ok("init", "--kdf", "test")
	r.ok("import", "good.mif.json")
	r.ok("import", "chat.zip")
	was := lyingIn(t, r.path("vault"))
	r.ok("list", "memories")
	r.look = lyingIn(t, r.path("vault")).since(was)
	if len(r.look) == 0 {
		t.Fatal("a look leaves nothing: its entry in the log is missing")
	}
	t.Logf("a look leaves: %s", strings.Join(r.look, ", "))

	bad := append(inputs(), wrongs()...)
	for _, args := range bad {
		r.leaves(args...)
	}
	t.Logf("%d commands", len(bad))

	t.Run("wrong passphrase", func(t *testing.T) {
		was := lyingIn(t, r.path("vault"))
		for _, args := range [][]string{{"list", "memories"}, {"add", "text"}, {"forget", "--id", one, "--yes"}, {"export", "pam", "-o", "out.json"}} {
			if code, said, _ := r.run("other-pass", args...); code != 3 {
				t.Errorf("%q: exit code %d\n%s", args, code, said)
			}
		}
		if changes := lyingIn(t, r.path("vault")).since(was); !slices.Equal(changes, []string{"new in ."}) && !slices.Equal(changes, []string{"changed vault.tries"}) {
			t.Errorf("beside the count of failed unlocks: %q", changes)
		}
		r.ok("list", "memories") // folds the count into the log
	})
	t.Run("frozen", func(t *testing.T) {
		r.ok("freeze")
		for _, args := range [][]string{
			{"add", "text"}, {"import", "chat.zip"}, {"import", "good.mif.json", "--merge", "rename"}, {"edit", one, "--summary", "x"}, {"retract", one}, {"archive", one},
			{"relate", one, "supports", two}, {"forget", "--id", one, "--yes"}, {"todos", "add", "x"}, {"grants", "give", one, "somebody"},
			{"compaction", "limits", "--days", "9"}, {"undo"}, {"propose", "on"}, {"types", "describe", "mine", "text"}, {"keys", "rotate"},
		} {
			r.leaves(args...)
		}
		r.ok("unfreeze")
	})
	r.ok("check")
}
