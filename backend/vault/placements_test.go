package vault_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"go.etcd.io/bbolt"

	"keepsake/backend/fault"
	"keepsake/backend/seal"
	"keepsake/backend/vault"
)

// placements is at how many places every kind of attack is tried.
const placements = 100

// fortress is a vault to attack: with enough in each bucket that a hundred
// places differ, a snapshot, and a journal of more than a hundred frames. The
// older bytes are those that a writer without the key may have kept.
type fortress struct {
	dir     string
	names   map[string][]byte
	older   map[string]map[string][]byte // of vault.db, by bucket
	oldHead []byte                       // with the passphrase of before
	behind  []byte                       // vault.db of the snapshot
	early   []byte                       // the journal of half way
	foreign []byte                       // the journal of another vault of the same base
	forked  [][]byte                     // vault.db of the newest generation, each with another change in it
}

const oldPassphrase = "the passphrase of before"

func newFortress(t *testing.T) *fortress {
	t.Helper()
	f := &fortress{dir: filepath.Join(t.TempDir(), "vault"), names: map[string][]byte{"system": vault.SystemBucket}}
	v, _, err := vault.Create(f.dir, vault.CreateOptions{Passphrase: []byte(oldPassphrase), KDF: seal.TestKDF(), Now: clock})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = v.Close() })
	f.oldHead = f.read(t, "vault.head")
	f.fill(t, v, 1)
	for name, c := range map[string]vault.Collection{
		"memories": vault.Memories, "relations": vault.Relations, "conversations": vault.Conversations, "chunks": vault.Chunks, "log": vault.Audit,
	} {
		for _, k := range "ril" {
			f.names[name+" "+string(k)] = vault.BucketName(v, c, byte(k))
		}
	}
	closeVault(t, v)
	f.older = (&target{dir: f.dir, names: f.names}).snapshot(t)
	v, err = vault.Open(f.dir, clock)
	if err == nil {
		err = v.Unlock(t.Context(), []byte(oldPassphrase))
	}
	if err == nil {
		err = v.ChangePassphrase(t.Context(), []byte(oldPassphrase), []byte(passphrase), seal.TestKDF())
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = v.Close() })
	f.fill(t, v, 2)
	if err := errors.Join(v.Freeze(), v.Thaw(), v.Snapshot(t.Context())); err != nil {
		t.Fatal(err)
	}
	made, err := v.Snapshots()
	if err != nil {
		t.Fatal(err)
	}
	copied := filepath.Join("snapshots", fmt.Sprintf("%012d", made[0].Generation), "vault.db")
	f.behind = f.read(t, copied)
	for i := range placements + 4 {
		put(t, v, vault.Settings, fmt.Sprint("late", i, "-"), 1)
		if i == placements/2 {
			f.early = f.read(t, f.journal(t))
		}
	}
	closeVault(t, v)
	f.foreign = foreignJournal(t, made[0].Generation)
	f.fork(t)
	return f
}

func (f *fortress) fill(t *testing.T, v *vault.Vault, round int) {
	t.Helper()
	update(t, v, func(tx *vault.Tx) error {
		var errs []error
		for i := range placements + 4 {
			id := fmt.Sprint("id", i)
			errs = append(errs, tx.Put(vault.Memories, id, day, fmt.Appendf(nil, "round %d", round)),
				tx.Put(vault.Relations, id, day, fmt.Appendf(nil, "round %d", round)), tx.Link(vault.Memories, id, fmt.Sprint("target", round)),
				putConversation(tx, vault.ConversationHead{}, conversation(id, 2, 50+round)))
		}
		return errors.Join(errs...)
	})
	for range placements / 2 { // each is an entry of the log
		if err := errors.Join(v.Freeze(), v.Thaw()); err != nil {
			t.Fatal(err)
		}
	}
}

func (f *fortress) read(t *testing.T, name string) []byte {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(f.dir, name))
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

// journal is the name of the newest journal.
func (f *fortress) journal(t *testing.T) string {
	t.Helper()
	found, err := os.ReadDir(filepath.Join(f.dir, "journal"))
	if err != nil || len(found) == 0 {
		t.Fatalf("journals: %v, %v", found, err)
	}
	return filepath.Join("journal", found[len(found)-1].Name())
}

// foreignJournal is what another vault writes after a generation.
func foreignJournal(t *testing.T, base uint64) []byte {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "vault")
	v, _ := create(t, dir)
	for v.State().Generation < base {
		put(t, v, vault.Settings, "s", 1)
	}
	if err := v.Snapshot(t.Context()); err != nil {
		t.Fatal(err)
	}
	for range placements {
		put(t, v, vault.Settings, "s", 1)
	}
	closeVault(t, v)
	return (&fortress{dir: dir}).read(t, (&fortress{dir: dir}).journal(t))
}

// fork makes data files of the generation that vault.gen confirms, that were
// never confirmed there.
func (f *fortress) fork(t *testing.T) {
	t.Helper()
	newest := len(frames(f.read(t, f.journal(t))))
	for range 3 {
		dir := filepath.Join(t.TempDir(), "vault")
		copyFolder(t, f.dir, dir)
		raw := &fortress{dir: dir}
		name := raw.journal(t)
		whole := raw.read(t, name)
		if err := errors.Join(os.Remove(filepath.Join(dir, "vault.gen")), os.WriteFile(filepath.Join(dir, "vault.db"), f.behind, 0o600),
			os.WriteFile(filepath.Join(dir, name), joined(whole, frames(whole)[:newest-1]), 0o600)); err != nil {
			t.Fatal(err)
		}
		v := open(t, dir)
		put(t, v, vault.Settings, "fork", 1)
		closeVault(t, v)
		f.forked = append(f.forked, raw.read(t, "vault.db"))
	}
}

// frames are those of a journal, each with its head.
func frames(raw []byte) (out [][]byte) {
	for rest := raw[13:]; len(rest) > 12; {
		n := binary.BigEndian.Uint32(rest)
		if n == 0 {
			break
		}
		out = append(out, rest[:12+n])
		rest = rest[12+n:]
	}
	return out
}

func joined(raw []byte, parts [][]byte) []byte {
	return slices.Concat(append([][]byte{raw[:13]}, parts...)...)
}

// attack changes the vault in dir at a place and says what the next unlock, or
// what next is, may answer.
type attack struct {
	change func(dir string, n int) error
	want   []string
	next   func(dir string) error
}

var (
	changedRecords = []string{"vault-records-changed", "vault-record-damaged"}
	changedHeader  = []string{"vault-header-changed"}
	lostChanges    = []string{"vault-behind"}
)

// onData is an attack on vault.db alone; the journal, which would mend it, goes.
func onData(fn func(bt *bbolt.Tx, n int) error) attack {
	return attack{func(dir string, n int) error {
		db, err := bbolt.Open(filepath.Join(dir, "vault.db"), 0o600, &bbolt.Options{Timeout: time.Second, NoSync: true})
		if err != nil {
			return err
		}
		err = db.Update(func(bt *bbolt.Tx) error { return fn(bt, n) })
		return errors.Join(err, db.Close())
	}, changedRecords, nil}
}

func (f *fortress) attacks(t *testing.T) map[string]attack {
	all := map[string]attack{}
	for _, label := range []string{"memories r", "memories l", "relations r", "conversations r", "chunks r", "log r"} {
		f.onRows(all, label)
	}
	for _, label := range []string{"memories i", "conversations i"} {
		f.onIndex(all, label)
	}
	f.onJournal(t, all)
	f.onHeaders(t, all)
	all["vault.db of another history of the same length"] = attack{func(dir string, n int) error {
		return os.WriteFile(filepath.Join(dir, "vault.db"), f.forked[n%len(f.forked)], 0o600)
	}, []string{"vault-records-changed"}, nil}
	all["snapshot: an older one under a newer name, and vault.db gone"] = attack{func(dir string, n int) error {
		at := filepath.Join(dir, "snapshots", fmt.Sprintf("%012d", 100_000+n))
		return errors.Join(os.MkdirAll(at, 0o700), os.WriteFile(filepath.Join(at, "vault.db"), f.behind, 0o600), os.Remove(filepath.Join(dir, "vault.db")))
	}, []string{"vault-data-damaged"}, func(dir string) error {
		_, err := vault.Recover(context.Background(), dir, clock, true, vault.ByPassphrase(context.Background(), []byte(passphrase)))
		return err
	}}
	return all
}

// onRows adds what can be done to the sealed values of a bucket.
func (f *fortress) onRows(all map[string]attack, label string) {
	name := f.names[label]
	pick := func(bt *bbolt.Tx, n int) (*bbolt.Bucket, []row, row) {
		b := bt.Bucket(name)
		r := rows(b)
		return b, r, r[n%len(r)]
	}
	all[label+": swapped"] = onData(func(bt *bbolt.Tx, n int) error {
		b, r, at := pick(bt, n)
		other := r[(n+1)%len(r)]
		return errors.Join(b.Put(at.k, other.v), b.Put(other.k, at.v))
	})
	all[label+": doubled"] = onData(func(bt *bbolt.Tx, n int) error {
		b, r, at := pick(bt, n)
		return b.Put(at.k, r[(n+1)%len(r)].v)
	})
	all[label+": dropped"] = onData(func(bt *bbolt.Tx, n int) error {
		b, _, at := pick(bt, n)
		return b.Delete(at.k)
	})
	if label != "log r" { // of which no entry is ever replaced
		all[label+": rolled back"] = onData(func(bt *bbolt.Tx, n int) error {
			b, _, at := pick(bt, n)
			before, ok := f.older[label][string(at.k)]
			if !ok || bytes.Equal(before, at.v) {
				return errors.New("nothing to roll back")
			}
			return b.Put(at.k, before)
		})
	}
	for what, at := range map[string]int{"format": 0, "key version": 4, "revision": 12, "locator": 30, "tag": -1} {
		all[label+": "+what+" changed"] = onData(func(bt *bbolt.Tx, n int) error {
			b, _, r := pick(bt, n)
			r.v[(at+len(r.v))%len(r.v)] ^= byte(1 + n%255)
			return b.Put(r.k, r.v)
		})
	}
}

func (f *fortress) onIndex(all map[string]attack, label string) {
	name := f.names[label]
	all[label+": swapped"] = onData(func(bt *bbolt.Tx, n int) error {
		b := bt.Bucket(name)
		r := rows(b)
		one, two := r[n%len(r)], r[(n+1)%len(r)]
		return errors.Join(b.Put(one.k, two.v), b.Put(two.k, one.v))
	})
	all[label+": dropped"] = onData(func(bt *bbolt.Tx, n int) error {
		b := bt.Bucket(name)
		r := rows(b)
		return b.Delete(r[n%len(r)].k)
	})
	all[label+": renamed"] = onData(func(bt *bbolt.Tx, n int) error {
		b := bt.Bucket(name)
		r := rows(b)
		at := r[n%len(r)]
		return errors.Join(b.Delete(at.k), b.Put(bytes.Repeat([]byte{byte(n)}, 16), at.v))
	})
}

// onJournal puts vault.db back to that of the snapshot, whose changes since are
// then in the journal alone, and does something to that.
func (f *fortress) onJournal(t *testing.T, all map[string]attack) {
	name := f.journal(t)
	whole := f.read(t, name)
	parts := frames(whole)
	if len(parts) <= placements {
		t.Fatalf("%d frames", len(parts))
	}
	add := func(what string, change func(parts [][]byte, n int) []byte) {
		all["journal: "+what] = attack{func(dir string, n int) error {
			return errors.Join(os.WriteFile(filepath.Join(dir, "vault.db"), f.behind, 0o600), os.Mkdir(filepath.Join(dir, "journal"), 0o700),
				os.WriteFile(filepath.Join(dir, name), change(slices.Clone(parts), n), 0o600))
		}, lostChanges, nil}
	}
	add("frame dropped", func(p [][]byte, n int) []byte { return joined(whole, slices.Delete(p, n, n+1)) })
	add("frame doubled", func(p [][]byte, n int) []byte { return joined(whole, slices.Insert(p, n, p[n])) })
	add("frame doubled under the next number", func(p [][]byte, n int) []byte {
		again := bytes.Clone(p[n])
		copy(again[4:12], p[n+1][4:12])
		p[n+1] = again
		return joined(whole, p)
	})
	add("frames exchanged", func(p [][]byte, n int) []byte {
		p[n], p[n+1] = p[n+1], p[n]
		return joined(whole, p)
	})
	add("frames exchanged, numbers kept", func(p [][]byte, n int) []byte {
		one, two := bytes.Clone(p[n+1]), bytes.Clone(p[n])
		copy(one[4:12], p[n][4:12])
		copy(two[4:12], p[n+1][4:12])
		p[n], p[n+1] = one, two
		return joined(whole, p)
	})
	add("frame of another vault", func(p [][]byte, n int) []byte {
		other := frames(f.foreign)
		p[n] = other[n%len(other)]
		return joined(whole, p)
	})
	add("frame changed", func(p [][]byte, n int) []byte {
		p[n] = bytes.Clone(p[n])
		p[n][12+n%(len(p[n])-12)] ^= byte(1 + n)
		return joined(whole, p)
	})
	add("cut off", func(p [][]byte, n int) []byte { return joined(whole, p[:n]) })
	add("generation of a frame changed", func(p [][]byte, n int) []byte {
		p[n] = bytes.Clone(p[n])
		p[n][11]++
		return joined(whole, p)
	})
	add("base changed", func(p [][]byte, n int) []byte {
		out := joined(whole, p)
		out[12] += byte(1 + n)
		return out
	})
	add("an older one put back", func(p [][]byte, n int) []byte { return joined(whole, frames(f.early)[:len(frames(f.early))-n%20]) })
}

// onHeaders changes all three copies alike.
func (f *fortress) onHeaders(t *testing.T, all map[string]attack) {
	put := func(dir string, raw []byte) error {
		db, err := bbolt.Open(filepath.Join(dir, "vault.db"), 0o600, &bbolt.Options{Timeout: time.Second, NoSync: true})
		if err != nil {
			return err
		}
		err = db.Update(func(bt *bbolt.Tx) error { return bt.Bucket(vault.SystemBucket).Put(vault.HeaderKey, raw) })
		return errors.Join(err, db.Close(), os.WriteFile(filepath.Join(dir, "vault.head"), raw, 0o600), os.WriteFile(filepath.Join(dir, "vault.head.bak"), raw, 0o600))
	}
	all["header: the one before, with a slot that was taken away"] = attack{func(dir string, _ int) error { return put(dir, f.oldHead) }, []string{"vault-header-old"}, func(dir string) error {
		return unlockOnce(dir, oldPassphrase)
	}}
	head := f.read(t, "vault.head")
	add := func(what string, want []string, change func(m map[string]any, n int)) {
		all["header: "+what] = attack{func(dir string, n int) error {
			var m map[string]any
			d := json.NewDecoder(bytes.NewReader(head[44:]))
			d.UseNumber()
			if err := d.Decode(&m); err != nil {
				return err
			}
			change(m, n)
			body, err := json.Marshal(m)
			if err != nil {
				return err
			}
			sum := sha256.Sum256(body)
			raw := binary.BigEndian.AppendUint32(bytes.Clone(head[:8]), uint32(len(body)))
			return put(dir, append(append(raw, sum[:]...), body...))
		}, want, nil}
	}
	at := func(n int) string { return day.Add(time.Duration(n+1) * time.Hour).Format(time.RFC3339) }
	slot := func(m map[string]any, i int) map[string]any { return m["slots"].([]any)[i].(map[string]any) }
	add("made at another time", changedHeader, func(m map[string]any, n int) { m["created_at"] = at(n) })
	add("frozen", changedHeader, func(m map[string]any, n int) { m["frozen_at"] = at(n) })
	add("backup invented", changedHeader, func(m map[string]any, n int) { m["last_backup_at"] = at(n) })
	add("generation raised", changedHeader, func(m map[string]any, n int) { m["generation"] = 50 + n })
	add("next slot changed", changedHeader, func(m map[string]any, n int) { m["next_slot"] = 50 + n })
	add("slot taken away", changedHeader, func(m map[string]any, _ int) { m["slots"] = m["slots"].([]any)[:1] })
	add("slot doubled", changedHeader, func(m map[string]any, n int) {
		again := maps.Clone(slot(m, 1))
		again["id"], m["next_slot"] = 50+n, 51+n
		m["slots"] = append(m["slots"].([]any), again)
	})
	add("time of a slot changed", changedHeader, func(m map[string]any, n int) { slot(m, n%2)["created_at"] = at(n) })
	add("cost changed", changedHeader, func(m map[string]any, n int) {
		k := slot(m, 0)["kdf"].(map[string]any)
		k["memory_kib"], k["time"], k["threads"] = 19<<10, 1+n%2, 1+n%3
	})
	add("salt changed", changedHeader, func(m map[string]any, n int) {
		k := slot(m, 0)["kdf"].(map[string]any)
		salt, err := base64.RawURLEncoding.DecodeString(k["salt"].(string))
		if err != nil {
			t.Fatal(err)
		}
		salt[n%len(salt)] ^= byte(1 + n)
		k["salt"] = base64.RawURLEncoding.EncodeToString(salt)
	})
}

// Promise: whoever can write the files but has no key can drop, double, move,
// exchange, forge or put back nothing, wherever they try, without the next
// unlock saying so.
func TestEveryAttackAtEveryPlace(t *testing.T) {
	f := newFortress(t)
	all := f.attacks(t)
	control := filepath.Join(t.TempDir(), "control")
	f.copyTo(t, control)
	if err := unlockOnce(control, passphrase); err != nil {
		t.Fatalf("without an attack: %v", err)
	}
	dir := filepath.Join(t.TempDir(), "vault")
	tried, noticed, said := 0, 0, map[string]int{}
	places := placements
	if testing.Short() {
		places = 5
	}
	for _, name := range slices.Sorted(maps.Keys(all)) {
		a := all[name]
		random := rand.New(rand.NewPCG(1, uint64(len(name))))
		for _, n := range random.Perm(placements)[:places] {
			if err := os.RemoveAll(dir); err != nil {
				t.Fatal(err)
			}
			f.copyTo(t, dir)
			if err := a.change(dir, n); err != nil {
				t.Fatalf("%s at %d: %v", name, n, err)
			}
			tried++
			var err error
			if a.next != nil {
				err = a.next(dir)
			} else {
				err = unlockOnce(dir, passphrase)
			}
			reason := "opened"
			if err != nil {
				reason = fault.From(err).Reason
			}
			said[reason]++
			if !slices.Contains(a.want, reason) {
				t.Errorf("%s at %d: %s, %v", name, n, reason, err)
				break
			}
			noticed++
		}
	}
	t.Logf("%d kinds of attack × %d places: %d tried, %d noticed and named: %v", len(all), places, tried, noticed, said)
	if len(all) < 40 {
		t.Errorf("only %d kinds", len(all))
	}
}

// copyTo copies what an unlock needs; a journal would mend some of the attacks.
func (f *fortress) copyTo(t *testing.T, dir string) {
	t.Helper()
	err := os.Mkdir(dir, 0o700)
	for _, name := range []string{"vault.head", "vault.head.bak", "vault.gen", "vault.db"} {
		err = errors.Join(err, os.WriteFile(filepath.Join(dir, name), f.read(t, name), 0o600))
	}
	if err != nil {
		t.Fatal(err)
	}
}

func unlockOnce(dir, passphrase string) error {
	v, err := vault.Open(dir, clock)
	if err != nil {
		return err
	}
	defer v.Close()
	return v.Unlock(context.Background(), []byte(passphrase))
}
