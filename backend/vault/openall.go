package vault

import (
	"context"
	"errors"
	"fmt"
	"runtime"

	"go.etcd.io/bbolt"

	"keepsake/backend/fault"
	"keepsake/backend/seal"
)

// Checked is what reading every value of a vault found.
type Checked struct {
	Values  int // sealed values that opened
	Bytes   int64
	Damaged []DamagedValue
}

// DamagedValue is a value whose text was changed or cannot be read.
type DamagedValue struct {
	Collection Collection
	Seq        uint64 // 0 for a link
}

// openAll decrypts every sealed value on all cores. Damage in values ends
// nothing; all of it is told together, as the first value's fault.
func openAll(ctx context.Context, bt *bbolt.Tx, keys *seal.Keys, s *state) (Checked, error) {
	var all Checked
	var first error
	for _, c := range s.known() {
		for _, sh := range c.sealedShelves() {
			got, err := openShelf(ctx, bt, keys, sh)
			all.Values += got.Values
			all.Bytes += got.Bytes
			all.Damaged = append(all.Damaged, got.Damaged...)
			if err != nil && fault.CodeOf(err) != fault.Damaged {
				return all, err
			}
			if first == nil {
				first = err
			}
		}
	}
	return all, first
}

func openShelf(ctx context.Context, bt *bbolt.Tx, keys *seal.Keys, sh shelf) (Checked, error) {
	var all Checked
	b := bt.Bucket(bucketName(keys.Sealer(), sh))
	if b == nil {
		return all, nil
	}
	err := among(runtime.GOMAXPROCS(0), b, new(mapping), func(jobs <-chan []stored) (func(), error) {
		w := opener{ctx: ctx, sh: sh, sealer: keys.Sealer()}
		err := eachStored(jobs, w.take)
		return func() {
			all.Values += w.got.Values
			all.Bytes += w.got.Bytes
			all.Damaged = append(all.Damaged, w.got.Damaged...)
		}, errors.Join(err, w.first)
	})
	return all, err
}

type opener struct {
	ctx    context.Context
	sh     shelf
	sealer *seal.Sealer
	got    Checked
	first  error
}

func (o *opener) take(it stored) error {
	if err := o.ctx.Err(); err != nil {
		return err
	}
	seq, err := seqOf(o.sh, it.key)
	if err == nil {
		_, _, _, err = o.sealer.Open(uint16(o.sh.c), seq, it.value)
	}
	if err == nil {
		o.got.Values++
		o.got.Bytes += int64(len(it.value))
		return nil
	}
	o.got.Damaged = append(o.got.Damaged, DamagedValue{o.sh.c, seq})
	if o.first == nil {
		o.first = errDataDamaged(fmt.Errorf("open value of collection %d: %w", o.sh.c, err))
	}
	return nil
}
