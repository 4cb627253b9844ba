package seal_test

import (
	"bytes"
	"testing"

	"keepsake/backend/seal"
)

// ends are the two ends of a channel.
func ends(t *testing.T, ofCaller, ofAnswerer *seal.ChannelKey, caller, answerer [32]byte) (call, answer *seal.Channel) {
	t.Helper()
	call, err := ofCaller.Channel(caller, answerer, false)
	if err != nil {
		t.Fatal(err)
	}
	if answer, err = ofAnswerer.Channel(caller, answerer, true); err != nil {
		t.Fatal(err)
	}
	return call, answer
}

// TestChannel: what one end seals the other opens, in both directions, and nothing readable is
// on the way.
func TestChannel(t *testing.T) {
	key := testKeys().ChannelKey()
	call, answer := ends(t, key, key, [32]byte{1}, [32]byte{2})
	for range 3 {
		for _, way := range [][2]*seal.Channel{{call, answer}, {answer, call}} {
			sealed := way[0].Seal([]byte("a secret sentence"))
			if plain, err := way[1].Open(sealed); err != nil || string(plain) != "a secret sentence" {
				t.Fatalf("%q, %v", plain, err)
			}
			if bytes.Contains(sealed, []byte("secret")) {
				t.Error("what was sealed can be read")
			}
		}
	}
}

// TestChannelRefuses what was not sealed as the next frame by the other end of this channel.
func TestChannelRefuses(t *testing.T) {
	key, other := testKeys().ChannelKey(), seal.ChannelKey{7}
	caller, answerer := [32]byte{1}, [32]byte{2}
	for name, sealed := range map[string]func(call, answer *seal.Channel) []byte{
		"another key": func(_, _ *seal.Channel) []byte {
			call, _ := ends(t, &other, &other, caller, answerer)
			return call.Seal(nil)
		},
		"another nonce of the answerer": func(_, _ *seal.Channel) []byte {
			call, _ := ends(t, key, key, caller, [32]byte{3})
			return call.Seal(nil)
		},
		"another nonce of the caller": func(_, _ *seal.Channel) []byte {
			call, _ := ends(t, key, key, [32]byte{3}, answerer)
			return call.Seal(nil)
		},
		"its own frame":   func(_, answer *seal.Channel) []byte { return answer.Seal(nil) },
		"a later frame":   func(call, _ *seal.Channel) []byte { call.Seal(nil); return call.Seal(nil) },
		"a changed frame": func(call, _ *seal.Channel) []byte { s := call.Seal(nil); s[12] ^= 1; return s },
		"a cut frame":     func(call, _ *seal.Channel) []byte { return call.Seal(nil)[:27] },
		"nothing":         func(_, _ *seal.Channel) []byte { return nil },
		"a frame once more": func(call, answer *seal.Channel) []byte {
			first := call.Seal(nil)
			if _, err := answer.Open(first); err != nil {
				t.Error(err)
			}
			return first
		},
	} {
		call, answer := ends(t, key, key, caller, answerer)
		if plain, err := answer.Open(sealed(call, answer)); err == nil {
			t.Errorf("%s opens as %q", name, plain)
		}
	}
}

// TestChannelKeyIsItsOwn: it is none of the keys that open the vault's files.
func TestChannelKeyIsItsOwn(t *testing.T) {
	k := testKeys()
	key := k.ChannelKey()
	if want := k.Purpose("channel"); !bytes.Equal(key[:], want) {
		t.Errorf("%x, want %x", key[:], want)
	}
	clear(key[:])
	if again := k.ChannelKey(); bytes.Equal(again[:], key[:]) {
		t.Error("who clears the key clears the vault's own")
	}
}
