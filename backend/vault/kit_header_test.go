package vault_test

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"go.etcd.io/bbolt"

	"keepsake/backend/vault"
)

func headerCases(k *kit) []kitCase {
	edits := map[string]func([]byte) []byte{
		"one byte more":   func(b []byte) []byte { return append(b, 0) },
		"length changed":  func(b []byte) []byte { b[11]++; return b },
		"length of 4 GiB": func(b []byte) []byte { binary.BigEndian.PutUint32(b[8:], 0xFFFFFFFF); return b },
		"digest changed":  func(b []byte) []byte { b[20] ^= 1; return b },
		"JSON changed":    func(b []byte) []byte { b[60] ^= 1; return b },
		"no JSON":         func([]byte) []byte { return reframe(nil) },
		"other JSON":      func([]byte) []byte { return reframe([]byte("[]")) },
		"70,000 bytes":    func([]byte) []byte { return reframe(bytes.Repeat([]byte("7"), 70_000)) },
	}
	for name, edit := range byteEdits {
		edits[name] = edit
	}
	var out []kitCase
	for name, edit := range edits {
		out = append(out,
			kitCase{name + ", vault.head", func(t *testing.T, _ *kit, dir string) { rewrite(t, file(dir, "vault.head"), edit) }},
			kitCase{name + ", vault.head.bak", func(t *testing.T, _ *kit, dir string) { rewrite(t, file(dir, "vault.head.bak"), edit) }},
			kitCase{name + ", both files", func(t *testing.T, _ *kit, dir string) {
				rewrite(t, file(dir, "vault.head"), edit)
				rewrite(t, file(dir, "vault.head.bak"), edit)
			}},
			kitCase{name + ", all three", func(t *testing.T, k *kit, dir string) { everyHeader(t, dir, edit(bytes.Clone(k.head))) }})
	}
	for name, edit := range map[string]func(map[string]any){
		"format 0":              func(m map[string]any) { m["format"] = 0 },
		"format 2":              func(m map[string]any) { m["format"] = 2 },
		"format as text":        func(m map[string]any) { m["format"] = "1" },
		"format missing":        func(m map[string]any) { delete(m, "format") },
		"an unknown feature":    func(m map[string]any) { m["features"] = []string{"x"} },
		"features missing":      func(m map[string]any) { delete(m, "features") },
		"features null":         func(m map[string]any) { m["features"] = nil },
		"generation 0":          func(m map[string]any) { m["generation"] = 0 },
		"generation 7":          func(m map[string]any) { m["generation"] = 7 },
		"generation -1":         func(m map[string]any) { m["generation"] = -1 },
		"mac changed":           func(m map[string]any) { m["mac"] = other(m["mac"]) },
		"mac empty":             func(m map[string]any) { m["mac"] = "" },
		"mac short":             func(m map[string]any) { m["mac"] = "AAAA" },
		"mac padded":            func(m map[string]any) { m["mac"] = m["mac"].(string) + "=" },
		"next slot 1":           func(m map[string]any) { m["next_slot"] = 1 },
		"next slot 99":          func(m map[string]any) { m["next_slot"] = 99 },
		"no slots":              func(m map[string]any) { m["slots"] = []any{} },
		"slots null":            func(m map[string]any) { m["slots"] = nil },
		"17 slots":              func(m map[string]any) { m["slots"] = slices.Repeat(m["slots"].([]any)[:1], 17) },
		"slots exchanged":       func(m map[string]any) { s := m["slots"].([]any); s[0], s[1] = s[1], s[0] },
		"a slot doubled":        func(m map[string]any) { s := m["slots"].([]any); m["slots"] = append(s, s[0]) },
		"recovery slot dropped": func(m map[string]any) { m["slots"] = m["slots"].([]any)[:1] },
		"passphrase slot gone":  func(m map[string]any) { m["slots"] = m["slots"].([]any)[1:] },
		"vault id changed":      func(m map[string]any) { m["vault_id"] = strings.Repeat("0", 32) },
		"vault id short":        func(m map[string]any) { m["vault_id"] = "00" },
		"vault id in capitals":  func(m map[string]any) { m["vault_id"] = strings.Repeat("A", 32) },
		"vault id not digits":   func(m map[string]any) { m["vault_id"] = strings.Repeat("g", 32) },
		"unknown cipher":        func(m map[string]any) { m["cipher"] = "rot13" },
		"the test cipher":       func(m map[string]any) { m["cipher"] = "none-for-tests" },
		"made at no time":       func(m map[string]any) { m["created_at"] = "" },
		"made in half a second": func(m map[string]any) { m["created_at"] = "2026-07-01T12:00:00.5Z" },
		"made elsewhere":        func(m map[string]any) { m["created_at"] = "2026-07-01T12:00:00+02:00" },
		"made a day later":      func(m map[string]any) { m["created_at"] = "2026-07-02T12:00:00Z" },
		"frozen":                func(m map[string]any) { m["frozen_at"] = "2026-07-02T12:00:00Z" },
		"frozen at no time":     func(m map[string]any) { m["frozen_at"] = "yesterday" },
		"backed up":             func(m map[string]any) { m["last_backup_at"] = "2026-07-02T12:00:00Z" },
		"an unknown member":     func(m map[string]any) { m["zzz"] = 1 },
		"a member in capitals":  func(m map[string]any) { m["Format"] = 1 },
	} {
		out = append(out, kitCase{name, func(t *testing.T, k *kit, dir string) { everyHeader(t, dir, editJSON(t, k.head, edit)) }})
	}
	for name, edit := range map[string]func(string) string{
		"a space":         func(s string) string { return strings.Replace(s, ",", ", ", 1) },
		"a line feed":     func(s string) string { return s + "\n" },
		"a member twice":  func(s string) string { return strings.Replace(s, `"format":1`, `"format":1,"format":1`, 1) },
		"members moved":   func(s string) string { return `{"vault_id"` + s[strings.LastIndex(s, `":"`)+1:len(s)-1] + "," + s[1:] },
		"a nest of lists": func(string) string { return strings.Repeat("[", 60_000) },
		"an escape":       func(s string) string { return strings.Replace(s, "aes-256-gcm", `aes-256-gc\u006d`, 1) },
	} {
		out = append(out, kitCase{name, func(t *testing.T, k *kit, dir string) {
			everyHeader(t, dir, reframe([]byte(edit(string(k.head[44:])))))
		}})
	}
	return out
}

// everyHeader puts one header into all three places.
func everyHeader(t *testing.T, dir string, head []byte) {
	t.Helper()
	headers(t, dir, head, head)
	raw(t, dir, func(bt *bbolt.Tx) error {
		if head == nil {
			return bt.Bucket(vault.SystemBucket).Delete(vault.HeaderKey)
		}
		return bt.Bucket(vault.SystemBucket).Put(vault.HeaderKey, head)
	})
}

// editJSON changes members of a header, and makes its digest fit again.
func editJSON(t *testing.T, head []byte, edit func(map[string]any)) []byte {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(head[44:]))
	d.UseNumber()
	var m map[string]any
	if err := d.Decode(&m); err != nil {
		t.Fatal(err)
	}
	edit(m)
	body, err := json.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	return reframe(body)
}

// other is text64 of the same length with a bit changed.
func other(text any) string {
	b, err := base64.RawURLEncoding.DecodeString(text.(string))
	if err != nil {
		panic(err)
	}
	b[0] ^= 1
	return base64.RawURLEncoding.EncodeToString(b)
}

func slotCases(*kit) []kitCase {
	kdf := func(name string, value any) func(map[string]any) {
		return func(slot map[string]any) { slot["kdf"].(map[string]any)[name] = value }
	}
	edits := map[string]func(map[string]any){
		"commit changed": func(s map[string]any) { s["commit"] = other(s["commit"]) }, "commit short": func(s map[string]any) { s["commit"] = "AAAA" },
		"commit missing": func(s map[string]any) { delete(s, "commit") }, "key changed": func(s map[string]any) { s["wrapped"] = other(s["wrapped"]) },
		"key short": func(s map[string]any) { s["wrapped"] = "AAAA" }, "key missing": func(s map[string]any) { delete(s, "wrapped") },
		"id 0": func(s map[string]any) { s["id"] = 0 }, "id 9": func(s map[string]any) { s["id"] = 9 }, "kind unknown": func(s map[string]any) { s["kind"] = "tattoo" },
		"kind recovery": func(s map[string]any) { s["kind"] = "recovery" }, "made at no time": func(s map[string]any) { s["created_at"] = "x" },
		"made a day later": func(s map[string]any) { s["created_at"] = "2026-07-02T12:00:00Z" }, "an unknown member": func(s map[string]any) { s["x"] = 1 },
		"kdf missing": func(s map[string]any) { delete(s, "kdf") }, "kdf unknown": kdf("name", "scrypt"), "kdf of another version": kdf("version", 16),
		"memory 0": kdf("memory_kib", 0), "memory 65": kdf("memory_kib", 65), "memory at the floor": kdf("memory_kib", 19456), "memory below the floor": kdf("memory_kib", 19455),
		"memory 2 GiB": kdf("memory_kib", 2<<20), "memory 4 TiB": kdf("memory_kib", 1<<32), "time 0": kdf("time", 0), "time 2": kdf("time", 2), "time 17": kdf("time", 17),
		"threads 0": kdf("threads", 0), "threads 2": kdf("threads", 2), "threads 17": kdf("threads", 17), "threads 256": kdf("threads", 256),
		"salt changed": func(s map[string]any) { m := s["kdf"].(map[string]any); m["salt"] = other(m["salt"]) }, "salt short": kdf("salt", "AAAA"),
		"salt empty": kdf("salt", ""), "salt long": kdf("salt", strings.Repeat("AAAA", 30)),
	}
	var out []kitCase
	for name, edit := range edits {
		out = append(out, kitCase{name, func(t *testing.T, k *kit, dir string) {
			everyHeader(t, dir, editJSON(t, k.head, func(m map[string]any) { edit(m["slots"].([]any)[0].(map[string]any)) }))
		}})
	}
	return out
}
