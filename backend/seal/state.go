package seal

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// SealState seals the state record of a generation. Each generation has its
// own key, expanded from the state key.
func (k *Keys) SealState(generation uint64, plain []byte) ([]byte, error) {
	key := k.stateKey(generation)
	defer clear(key)
	size := padded(4 + len(plain))
	inner := field(make([]byte, 0, size), plain)
	inner = append(inner, make([]byte, size-len(inner))...)
	sealed, err := k.cipher.sealWith(key, inner, k.stateAAD(generation))
	if err != nil {
		return nil, fmt.Errorf("seal state: %w", err)
	}
	out := binary.BigEndian.AppendUint64([]byte{recordFormat}, generation)
	return append(out, sealed...), nil
}

// OpenState opens what SealState returned.
func (k *Keys) OpenState(value []byte) (generation uint64, plain []byte, err error) {
	if len(value) < 9+Overhead || value[0] != recordFormat {
		return 0, nil, errRecordDamaged(errors.New("read state: not as written"))
	}
	generation = binary.BigEndian.Uint64(value[1:])
	key := k.stateKey(generation)
	defer clear(key)
	inner, err := k.cipher.openWith(key, value[9:], k.stateAAD(generation))
	if err != nil {
		return 0, nil, errRecordDamaged(fmt.Errorf("open state: %w", err))
	}
	if len(inner) < 4 || int(binary.BigEndian.Uint32(inner)) > len(inner)-4 {
		return 0, nil, errRecordDamaged(errors.New("open state: lengths do not fit"))
	}
	return generation, inner[4 : 4+binary.BigEndian.Uint32(inner)], nil
}

func (k *Keys) stateKey(generation uint64) []byte {
	state := k.purpose(forState)
	defer clear(state)
	label := binary.BigEndian.AppendUint64([]byte("state"), generation)
	return append([]byte(nil), newMAC(state).of(append(label, 1))[:]...)
}

func (k *Keys) stateAAD(generation uint64) []byte {
	return binary.BigEndian.AppendUint64(field([]byte("G1"), k.vaultID), generation)
}
