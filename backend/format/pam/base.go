package pam

import (
	"encoding/base64"
	"errors"
	"math/big"
	"strings"
)

// alphabet58 is that of base58btc.
const alphabet58 = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"

func base58(raw []byte) string {
	n, base, digit := new(big.Int).SetBytes(raw), big.NewInt(58), new(big.Int)
	var out []byte
	for n.Sign() > 0 {
		n.DivMod(n, base, digit)
		out = append(out, alphabet58[digit.Int64()])
	}
	for i := 0; i < len(raw) && raw[i] == 0; i++ {
		out = append(out, alphabet58[0])
	}
	for i, j := 0, len(out)-1; i < j; i, j = i+1, j-1 {
		out[i], out[j] = out[j], out[i]
	}
	return string(out)
}

var errBase = errors.New("not in this encoding")

func unbase58(text string) ([]byte, error) {
	n, base := new(big.Int), big.NewInt(58)
	zeros := len(text) - len(strings.TrimLeft(text, alphabet58[:1]))
	for i := 0; i < len(text); i++ {
		digit := strings.IndexByte(alphabet58, text[i])
		if digit < 0 {
			return nil, errBase
		}
		n.Add(n.Mul(n, base), big.NewInt(int64(digit)))
	}
	return append(make([]byte, zeros), n.Bytes()...), nil
}

// base64url is RFC 4648 §5 without padding, as PAM's schema text has it.
func base64url(raw []byte) string { return base64.RawURLEncoding.EncodeToString(raw) }

// unbase64url accepts padding, which one reference writes, but no other
// alphabet, no line breaks, and only the one encoding of the last bits.
func unbase64url(text string) ([]byte, error) {
	if strings.ContainsAny(text, "\r\n") {
		return nil, errBase
	}
	bare := strings.TrimRight(text, "=")
	if pad := len(text) - len(bare); pad > 2 || pad > 0 && len(text)%4 != 0 {
		return nil, errBase
	}
	raw, err := base64.RawURLEncoding.Strict().DecodeString(bare)
	if err != nil {
		return nil, errBase
	}
	return raw, nil
}
