package vault

import (
	"testing"

	"go.etcd.io/bbolt"
)

// RaiseHeaderGeneration makes the state expect a newer header, as changing the
// slots will.
func RaiseHeaderGeneration(t *testing.T, v *Vault) {
	t.Helper()
	err := v.db.Update(func(bt *bbolt.Tx) error {
		s := v.state.Load().clone()
		s.HeaderGeneration++
		return s.save(bt, v.keys)
	})
	if err != nil {
		t.Fatal(err)
	}
}

// BucketName tells the tests of attacks where to look.
func BucketName(v *Vault, c Collection, k byte) []byte {
	return bucketName(v.keys.Sealer(), shelf{c, kind(k)})
}

// SystemBucket and the keys in it.
var (
	SystemBucket = systemBucket
	HeaderKey    = headerKey
	StateKey     = stateKey
	EpochKey     = epochKey
)
