package vault

import (
	"fmt"
	"runtime/debug"
	"strings"
)

// sheltered runs fn so that reading a damaged data file ends in a fault: bbolt
// panics on pages it does not understand, and reading past the end of a
// mapped file is a memory fault. Panics of the caller's own code pass through.
func sheltered(fn func() error) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if p := recover(); p != nil {
			if !fromData(p) {
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
	for _, start := range []string{"assertion failed:", "page ", "invalid page", "freepages:", "bucket root pgid"} {
		if strings.HasPrefix(text, start) {
			return true
		}
	}
	return false
}
