package seal_test

import (
	"bytes"
	"crypto/hkdf"
	"crypto/sha256"
	"encoding/hex"
	"math/rand/v2"
	"strings"
	"testing"

	"keepsake/backend/fault"
	"keepsake/backend/seal"
)

func testKeys() *seal.Keys {
	var master, dek [32]byte
	for i := range master {
		master[i], dek[i] = byte(i), byte(100+i)
	}
	k := seal.KeysForTest(seal.AES256GCM, bytes.Repeat([]byte{7}, 16), master)
	k.KeepEpoch(1, dek)
	dek[0]++
	k.KeepEpoch(2, dek)
	return k
}

func testRecord(s *seal.Sealer) seal.Record {
	return seal.Record{
		Collection: 1, Seq: 42, Locator: s.Locate('r', 1, "memory-1"), KeyVersion: 1, Revision: 3, Created: 1782907200000,
	}
}

// Promise: what is sealed comes back, at every length.
func TestRecordRoundTrip(t *testing.T) {
	s := testKeys().Sealer()
	r := testRecord(s)
	for _, n := range []int{0, 1, 57, 58, 59, 64, 1000, 1024, 1025, 4000, 8000, 65536, 1 << 20} {
		plain := bytes.Repeat([]byte{0xa5}, n)
		value, err := s.Seal(r, "memory-1", plain)
		if err != nil {
			t.Fatalf("seal %d: %v", n, err)
		}
		got, id, out, err := s.Open(1, 42, value)
		if err != nil || got != r || id != "memory-1" || !bytes.Equal(out, plain) {
			t.Fatalf("open %d: %+v %q %d bytes, %v", n, got, id, len(out), err)
		}
	}
}

func TestRecordTooLarge(t *testing.T) {
	s := testKeys().Sealer()
	_, err := s.Seal(testRecord(s), "memory-1", make([]byte, seal.MaxRecord))
	wantFault(t, err, fault.TooLarge, "record-too-large")
	_, err = s.Seal(testRecord(s), strings.Repeat("i", 1<<16), nil)
	wantFault(t, err, fault.TooLarge, "record-id-too-long")
}

// Promise: a record opens only where, and as what, it was sealed.
func TestRecordIsBoundToItsPlace(t *testing.T) {
	s := testKeys().Sealer()
	r := testRecord(s)
	value, err := s.Seal(r, "memory-1", []byte("text"))
	if err != nil {
		t.Fatal(err)
	}
	for name, place := range map[string][2]uint64{"collection": {2, 42}, "sequence": {1, 43}} {
		if _, _, _, err := s.Open(uint16(place[0]), place[1], value); fault.CodeOf(err) != fault.Damaged {
			t.Errorf("it opens in another %s: %v", name, err)
		}
	}
	for i := range value {
		changed := bytes.Clone(value)
		changed[i] ^= 1
		if _, _, _, err := s.Open(1, 42, changed); fault.CodeOf(err) != fault.Damaged {
			t.Errorf("it opens with byte %d changed: %v", i, err)
		}
	}
	for n := range value {
		if _, _, _, err := s.Open(1, 42, value[:n]); fault.CodeOf(err) != fault.Damaged {
			t.Errorf("it opens when cut to %d: %v", n, err)
		}
	}
}

// Promise: the associated data tells all fields apart, however their bytes
// fall; no two records share it.
func TestAssociatedDataIsUnambiguous(t *testing.T) {
	s := testKeys().Sealer()
	r := testRecord(s)
	seen := map[string]string{}
	add := func(name string, r seal.Record) {
		aad := string(s.AAD(r))
		if before, ok := seen[aad]; ok {
			t.Errorf("%s and %s have the same associated data", name, before)
		}
		seen[aad] = name
	}
	add("original", r)
	for name, change := range map[string]func(r *seal.Record){
		"collection": func(r *seal.Record) { r.Collection++ },
		"sequence":   func(r *seal.Record) { r.Seq++ },
		"locator":    func(r *seal.Record) { r.Locator[15]++ },
		"version":    func(r *seal.Record) { r.KeyVersion++ },
		"revision":   func(r *seal.Record) { r.Revision++ },
		"created":    func(r *seal.Record) { r.Created++ },
	} {
		other := r
		change(&other)
		add(name, other)
	}
	other := seal.KeysForTest(seal.AES256GCM, bytes.Repeat([]byte{8}, 16), [32]byte{}).Sealer()
	if _, ok := seen[string(other.AAD(r))]; ok {
		t.Error("another vault has the same associated data")
	}
}

// Promise: records have keys of their own, and the same text never looks the
// same twice.
func TestRecordKeysDiffer(t *testing.T) {
	s := testKeys().Sealer()
	r := testRecord(s)
	a, _ := s.RecordKey(r)
	for name, change := range map[string]func(r *seal.Record){
		"collection": func(r *seal.Record) { r.Collection++ },
		"locator":    func(r *seal.Record) { r.Locator[0]++ },
		"version":    func(r *seal.Record) { r.KeyVersion++ },
	} {
		other := r
		change(&other)
		if b, err := s.RecordKey(other); err != nil || a == b {
			t.Errorf("another %s has the same key (%v)", name, err)
		}
	}
	v1, _ := s.Seal(r, "memory-1", []byte("text"))
	v2, _ := s.Seal(r, "memory-1", []byte("text"))
	if bytes.Equal(v1[seal.RecordHead:], v2[seal.RecordHead:]) {
		t.Error("sealing twice gives the same bytes")
	}
	r.KeyVersion = 9
	if _, err := s.Seal(r, "memory-1", nil); fault.CodeOf(err) != fault.Damaged {
		t.Errorf("an unknown key version seals: %v", err)
	}
}

// The derivations are part of the format: HKDF-SHA256 as RFC 5869 says.
func TestDerivations(t *testing.T) {
	k := testKeys()
	master := make([]byte, 32)
	for i := range master {
		master[i] = byte(i)
	}
	want, err := hkdf.Key(sha256.New, master, bytes.Repeat([]byte{7}, 16), "keepsake/v1/manifest", 32)
	if err != nil || !bytes.Equal(k.Purpose("manifest"), want) {
		t.Errorf("purpose: %x, want %x (%v)", k.Purpose("manifest"), want, err)
	}
	s := k.Sealer()
	r := testRecord(s)
	dek := make([]byte, 32)
	for i := range dek {
		dek[i] = byte(100 + i)
	}
	info := "rec\x00\x01" + string(r.Locator[:])
	expanded, err := hkdf.Expand(sha256.New, dek, info, 32)
	got, err2 := s.RecordKey(r)
	if err != nil || err2 != nil || !bytes.Equal(got[:], expanded) {
		t.Errorf("record key: %x, want %x (%v, %v)", got, expanded, err, err2)
	}
}

// Golden values, made once by this code and held from then on.
func TestPinnedValues(t *testing.T) {
	k := testKeys()
	s := k.Sealer()
	r := testRecord(s)
	value := append(make([]byte, seal.RecordHead), bytes.Repeat([]byte{9}, 100)...)
	sum, err := k.Manifest().Digest(r, value).MarshalText()
	if err != nil {
		t.Fatal(err)
	}
	for name, pair := range map[string][2]string{
		"locator": {hex.EncodeToString(r.Locator[:]), "b9a97b78e563ff80e9600e2893cea2d4"},
		"aad":     {hex.EncodeToString(s.AAD(r)), "523101000100000010b9a97b78e563ff80e9600e2893cea2d40000001007070707070707070707070707070707000000000000002a0000019f1d8ce200000000000000000300000001"},
		"digest":  {string(sum), "448b5ba15626d165ee8950f9facddc02017386ea2bc1dfb07e062f466596d6a6"},
	} {
		if pair[0] != pair[1] {
			t.Errorf("%s is %s, was %s", name, pair[0], pair[1])
		}
	}
}

// Promise: lengths on disk say little and cost at most 12 % above 1 KiB.
func TestPadding(t *testing.T) {
	for n := range 200_000 {
		p := seal.Padded(n)
		if p < n || p < 64 || n > 1024 && float64(p) > 1.12*float64(n) || n <= 1024 && p >= n+128 {
			t.Fatalf("%d is padded to %d", n, p)
		}
		if seal.Padded(p) != p {
			t.Fatalf("%d pads to %d, which pads further", n, p)
		}
	}
}

// Promise: the order of changes does not matter to the sum, and taking away is
// the inverse of adding.
func TestSumIsASet(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	items := make([]seal.Sum, 200)
	for i := range items {
		items[i] = seal.Sum{rnd.Uint64(), rnd.Uint64(), rnd.Uint64(), rnd.Uint64()}
	}
	var forward, shuffled seal.Sum
	for _, it := range items {
		forward = forward.Add(it)
	}
	for _, i := range rnd.Perm(len(items)) {
		shuffled = shuffled.Add(items[i])
	}
	if forward != shuffled {
		t.Fatal("the order matters")
	}
	for _, it := range items {
		forward = forward.Sub(it)
	}
	if forward != (seal.Sum{}) {
		t.Fatalf("taking all away leaves %v", forward)
	}
	text, _ := shuffled.MarshalText()
	var back seal.Sum
	if err := back.UnmarshalText(text); err != nil || back != shuffled {
		t.Fatalf("%s comes back as %v: %v", text, back, err)
	}
	for _, bad := range []string{"", "00", string(text) + "00", "zz" + string(text[2:])} {
		if err := new(seal.Sum).UnmarshalText([]byte(bad)); err == nil {
			t.Errorf("%q is read", bad)
		}
	}
}

// Promise: a state record opens only as the generation it was sealed for.
func TestStateIsBoundToItsGeneration(t *testing.T) {
	k := testKeys()
	value, err := k.SealState(7, []byte(`{"generation":7}`))
	if err != nil {
		t.Fatal(err)
	}
	if g, plain, err := k.OpenState(value); err != nil || g != 7 || string(plain) != `{"generation":7}` {
		t.Fatalf("%d %q %v", g, plain, err)
	}
	for i := range value {
		changed := bytes.Clone(value)
		changed[i] ^= 0x10
		if _, _, err := k.OpenState(changed); fault.CodeOf(err) != fault.Damaged {
			t.Fatalf("byte %d: %v", i, err)
		}
	}
	for n := range value {
		if _, _, err := k.OpenState(value[:n]); fault.CodeOf(err) != fault.Damaged {
			t.Fatalf("cut to %d: %v", n, err)
		}
	}
}

// Promise: a wrapped data key opens only under its own version and scope.
func TestEpochIsBoundToItsVersion(t *testing.T) {
	k := testKeys()
	wrapped, err := k.NewEpoch(3, 5)
	if err != nil {
		t.Fatal(err)
	}
	if scope, err := k.OpenEpoch(3, wrapped); err != nil || scope != 5 {
		t.Fatalf("scope %d, %v", scope, err)
	}
	if _, err := k.OpenEpoch(4, wrapped); fault.CodeOf(err) != fault.Damaged {
		t.Errorf("it opens as another version: %v", err)
	}
	for i := range wrapped {
		changed := bytes.Clone(wrapped)
		changed[i] ^= 1
		if _, err := k.OpenEpoch(3, changed); fault.CodeOf(err) != fault.Damaged {
			t.Errorf("byte %d: %v", i, err)
		}
	}
	if _, err := k.OpenEpoch(3, nil); fault.CodeOf(err) != fault.Damaged {
		t.Errorf("nothing opens: %v", err)
	}
}

func FuzzOpenRecord(f *testing.F) {
	s := testKeys().Sealer()
	value, err := s.Seal(testRecord(s), "memory-1", []byte("text"))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(uint16(1), uint64(42), value)
	f.Add(uint16(0), uint64(0), []byte{})
	f.Add(uint16(1), uint64(42), value[:seal.RecordHead])
	f.Fuzz(func(t *testing.T, collection uint16, seq uint64, stored []byte) {
		_, id, plain, err := s.Open(collection, seq, stored)
		if err != nil {
			if fault.CodeOf(err) != fault.Damaged {
				t.Fatalf("%v", err)
			}
			return
		}
		if id != "memory-1" || string(plain) != "text" {
			t.Fatalf("forged: %q %q", id, plain)
		}
	})
}
