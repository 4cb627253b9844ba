package seal

import (
	"crypto/cipher"
	"encoding/binary"
	"fmt"
)

// ChannelKey is what two processes that can both open a vault know and no other does: the
// channels between them are made of it. It opens nothing of the vault's files.
type ChannelKey [keySize]byte

// ChannelKey returns the vault's. The caller clears it.
func (k *Keys) ChannelKey() *ChannelKey { return (*ChannelKey)(k.purpose(forChannel)) }

// Channel is one end of a channel between two processes (docs/vault-format.md §4). Each frame
// is bound to the two nonces, to who sends it and to its number, so that none can be read,
// made, changed, dropped, doubled, moved or sent again on another channel. Each direction is
// for one goroutine.
type Channel struct {
	send, receive  cipher.AEAD
	sent, received uint64
}

// Channel returns the end of the caller, or of who answers. Each of the two has chosen its
// nonce, of 32 bytes, at random.
func (k *ChannelKey) Channel(caller, answerer [32]byte, answers bool) (*Channel, error) {
	nonces := append(caller[:], answerer[:]...)
	var ends [2]cipher.AEAD
	for i, label := range []string{"channel/call", "channel/answer"} {
		var err error
		guarded(func() {
			key := expand(k[:], nonces, label)
			ends[i], err = AES256GCM.aead(key)
			clear(key)
		})
		if err != nil {
			return nil, fmt.Errorf("make cipher: %w", err)
		}
	}
	if answers {
		return &Channel{send: ends[1], receive: ends[0]}, nil
	}
	return &Channel{send: ends[0], receive: ends[1]}, nil
}

// Seal returns the next frame.
func (c *Channel) Seal(plain []byte) []byte {
	sealed := c.send.Seal(make([]byte, 0, len(plain)+Overhead), nil, plain, channelAAD(c.sent))
	c.sent++
	return sealed
}

// Open returns what the other end sealed as its next frame. After an error, which says that
// it did not, the channel is of no use any more.
func (c *Channel) Open(sealed []byte) ([]byte, error) {
	plain, err := c.receive.Open(nil, nil, sealed, channelAAD(c.received))
	if err != nil {
		return nil, errAuth
	}
	c.received++
	return plain, nil
}

func channelAAD(number uint64) []byte { return binary.BigEndian.AppendUint64([]byte("C1"), number) }
