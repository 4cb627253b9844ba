package seal_test

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"keepsake/backend/seal"
)

// known is a vector of Wycheproof, whatever it is about.
type known struct {
	TcID                                        int
	Key, IV, AAD, Msg, CT, Tag                  string
	IKM, Salt, Info, OKM                        string
	Size                                        int
	Result, Comment                             string
	ivSize, tagSize                             int // bits, of its group
	key, iv, aad, msg, ct, tag, ikm, salt, info []byte
}

// wycheproof hands every vector of a file to check and returns how many there
// are.
func wycheproof(t *testing.T, name string, check func(known)) int {
	t.Helper()
	raw, err := os.ReadFile("testdata/wycheproof/" + name)
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		NumberOfTests int
		TestGroups    []struct {
			IvSize, TagSize int
			Tests           []known
		}
	}
	if err := json.Unmarshal(raw, &file); err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, g := range file.TestGroups {
		for _, v := range g.Tests {
			v.ivSize, v.tagSize = g.IvSize, g.TagSize
			for from, to := range map[*string]*[]byte{
				&v.Key: &v.key, &v.IV: &v.iv, &v.AAD: &v.aad, &v.Msg: &v.msg, &v.CT: &v.ct,
				&v.Tag: &v.tag, &v.IKM: &v.ikm, &v.Salt: &v.salt, &v.Info: &v.info,
			} {
				if *to, err = hex.DecodeString(*from); err != nil {
					t.Fatal(err)
				}
			}
			n++
			check(v)
		}
	}
	if n != file.NumberOfTests {
		t.Errorf("%d vectors of %d", n, file.NumberOfTests)
	}
	return n
}

// Our AEAD takes nonces of 96 bits; the vectors of other lengths go to the
// library that it is made of.
func TestAESGCMWycheproof(t *testing.T) {
	ours := 0
	n := wycheproof(t, "aes_gcm_test.json", func(v known) {
		var got []byte
		var err error
		switch {
		case v.ivSize == 96:
			ours++
			got, err = seal.OpenWith(v.key, append(append(bytes.Clone(v.iv), v.ct...), v.tag...), v.aad)
		case len(v.iv) == 0:
			err = fmt.Errorf("no nonce")
		default:
			block, made := aes.NewCipher(v.key)
			if made != nil {
				t.Fatal(made)
			}
			a, made := cipher.NewGCMWithNonceSize(block, len(v.iv))
			if made != nil {
				t.Fatal(made)
			}
			got, err = a.Open(nil, v.iv, append(bytes.Clone(v.ct), v.tag...), v.aad)
		}
		if (err == nil) != (v.Result == "valid") || err == nil && !bytes.Equal(got, v.msg) {
			t.Errorf("vector %d (%s) is %s: %v", v.TcID, v.Comment, v.Result, err)
		}
	})
	if n < 316 || ours < 150 {
		t.Errorf("%d vectors, %d of them with our length of nonce", n, ours)
	}
	t.Logf("%d vectors, %d of them through our AEAD: all as labelled", n, ours)
}

func TestHMACWycheproof(t *testing.T) {
	n := wycheproof(t, "hmac_sha256_test.json", func(v known) {
		got := seal.MACOf(v.key, v.msg)[:v.tagSize/8]
		if bytes.Equal(got, v.tag) != (v.Result == "valid") {
			t.Errorf("vector %d (%s) is %s: got %x", v.TcID, v.Comment, v.Result, got)
		}
	})
	t.Logf("%d vectors, all as labelled", n)
}

func TestHKDFWycheproof(t *testing.T) {
	n := wycheproof(t, "hkdf_sha256_test.json", func(v known) {
		got, err := hkdf.Key(sha256.New, v.ikm, v.salt, string(v.info), v.Size)
		if (err == nil) != (v.Result == "valid") || err == nil && hex.EncodeToString(got) != v.OKM {
			t.Errorf("vector %d (%s) is %s: %v", v.TcID, v.Comment, v.Result, err)
		}
	})
	// Ours is that, with a prefix of the info and 32 bytes.
	want, err := hkdf.Key(sha256.New, []byte("secret"), []byte("salt"), "keepsake/v1/purpose", 32)
	if err != nil || !bytes.Equal(seal.Expand([]byte("secret"), []byte("salt"), "purpose"), want) {
		t.Error("our expand is not HKDF")
	}
	t.Logf("%d vectors, all as labelled", n)
}

// Argon2id against the reference implementation, Debian's command argon2 (row
// 2): random parameters, secrets and salts.
func TestArgon2idAgainstTheReference(t *testing.T) {
	command, err := exec.LookPath("argon2")
	if err != nil {
		// The reference is a C program of the system; there is none in Go but the one under test.
		t.Skip("LEFT OUT: the command argon2 is not here (Debian: apt-get install argon2), so Argon2id was not compared with its reference")
	}
	sets := 60
	if os.Getenv("KEEPSAKE_SOAK") != "" {
		sets = 500
	}
	rng := rand.New(rand.NewPCG(7, 11))
	for i := range sets {
		k := seal.KDF{Time: 1 + rng.Uint32N(5), Threads: uint8(1 + rng.IntN(8))}
		k.MemoryKiB = 8*uint32(k.Threads) + rng.Uint32N(24<<10)
		secret, salt := printable(rng, 1+rng.IntN(100)), printable(rng, 16+rng.IntN(40))
		cmd := exec.CommandContext(t.Context(), command, salt, "-id", "-r", "-l", "32", "-v", "13",
			"-t", strconv.Itoa(int(k.Time)), "-k", strconv.Itoa(int(k.MemoryKiB)), "-p", strconv.Itoa(int(k.Threads)))
		cmd.Stdin = strings.NewReader(secret)
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("set %d, %s: %v", i, k, err)
		}
		if got := hex.EncodeToString(k.Derive([]byte(secret), []byte(salt))); got != strings.TrimSpace(string(out)) {
			t.Errorf("set %d, %s: got %s, want %s", i, k, got, out)
		}
	}
	t.Logf("%d parameter sets, 0 differ", sets)
}

func printable(rng *rand.Rand, n int) string {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte('!' + rng.IntN('~'-'!'))
	}
	return string(b)
}

// Promise: a made passphrase is six words of the list, which is whole, and
// never the same twice.
func TestNewPassphrase(t *testing.T) {
	p := seal.NewPassphrase()
	if len(strings.Split(strings.ReplaceAll(p, "t-shirt", "tshirt"), "-")) < 6 || p == seal.NewPassphrase() {
		t.Errorf("made %q", p)
	}
	if err := seal.CheckPassphrase([]byte(p)); err != nil || seal.EasyToGuess([]byte(p)) {
		t.Errorf("%q: %v", p, err)
	}
	raw, err := os.ReadFile("eff_words.txt")
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, w := range strings.Fields(string(raw)) {
		seen[w] = true
	}
	if len(seen) != 7776 {
		t.Errorf("%d different words", len(seen))
	}
}

func TestEasyToGuess(t *testing.T) {
	for _, p := range []string{"password", "Password1!", "12345678", "hgfedcba", "aaaaaaaa", "abababab", "qwertyuiop", "SENHA123", "keepsake2026"} {
		if !seal.EasyToGuess([]byte(p)) {
			t.Errorf("%q is not called easy", p)
		}
	}
	for _, p := range []string{"correct horse battery staple", "tr0ub4dor&3x", "passwords are bad"} {
		if seal.EasyToGuess([]byte(p)) {
			t.Errorf("%q is called easy", p)
		}
	}
}

// Half of those who use Keepsake guess and are guessed in Portuguese.
func TestWindow17PortuguesePassphrases(t *testing.T) {
	for _, p := range []string{"senha1234", "minhasenha", "flamengo", "Brasil2026", "deusefiel", "DeusÉFiel1", "corinthians", "família2024", "mudar123"} {
		if !seal.EasyToGuess([]byte(p)) {
			t.Errorf("%q is not called easy", p)
		}
	}
	if p := "cavalo correto bateria grampo"; seal.EasyToGuess([]byte(p)) {
		t.Errorf("%q is called easy", p)
	}
}

// The blocks of the search index, opened with the standard library alone.
func TestBlocksAsSpecified(t *testing.T) {
	vaultID, salt := bytes.Repeat([]byte{7}, 16), bytes.Repeat([]byte{9}, 16)
	k := seal.KeysForTest(seal.AES256GCM, vaultID, [32]byte{1})
	blocks, err := k.Blocks(salt)
	if err != nil {
		t.Fatal(err)
	}
	sealed := blocks.Seal([]byte("name"), []byte("text"))
	block, err := aes.NewCipher(k.Purpose("search/" + string(salt)))
	if err != nil {
		t.Fatal(err)
	}
	a, err := cipher.NewGCM(block)
	if err != nil {
		t.Fatal(err)
	}
	aad := append(append([]byte("X1\x00\x00\x00\x10"), vaultID...), "name"...)
	if got, err := a.Open(nil, sealed[:12], sealed[12:], aad); err != nil || string(got) != "text" {
		t.Errorf("read %q, %v", got, err)
	}
}
