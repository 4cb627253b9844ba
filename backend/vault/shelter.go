package vault

import (
	"fmt"
	"runtime/debug"
	"strings"

	"go.etcd.io/bbolt"
)

// sheltered runs code of a caller so that reading a damaged data file ends in
// a fault: bbolt panics on pages it does not understand, and reading past the
// end of a mapped file is a memory fault. Other panics pass through.
func sheltered(fn func() error) error { return shelter(fn, fromData) }

// contained runs our own code over the data file; whatever it panics with is
// the file's doing.
func contained(fn func() error) error { return shelter(fn, func(any) bool { return true }) }

// view runs our own code on what is committed in a data file.
func view(db *bbolt.DB, fn func(*bbolt.Tx) error) error {
	return contained(func() error { return db.View(fn) })
}

func shelter(fn func() error, expected func(any) bool) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if p := recover(); p != nil {
			if !expected(p) {
				panic(p)
			}
			err = errDataDamaged(fmt.Errorf("read data file: %v", p))
		}
	}()
	return fn()
}

// fromData recognises what bbolt and its mapped file throw.
func fromData(p any) bool {
	if _, ok := p.(interface{ Addr() uintptr }); ok {
		return true
	}
	text := fmt.Sprint(p)
	for _, start := range []string{"assertion failed:", "page ", "invalid page", "invalid freelist", "freepages:", "bucket root pgid"} {
		if strings.HasPrefix(text, start) {
			return true
		}
	}
	return false
}
