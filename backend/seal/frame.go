package seal

import "encoding/binary"

// field appends b behind its length, so that "ab"+"c" and "a"+"bc" differ.
func field(dst, b []byte) []byte {
	dst = binary.BigEndian.AppendUint32(dst, uint32(len(b)))
	return append(dst, b...)
}
