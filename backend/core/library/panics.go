package library

import "fmt"

// Recovered turns a panic outside of a reader into an internal error.
func Recovered(err *error) {
	if p := recover(); p != nil {
		*err = PanicFault(p)
	}
}

// PanicFault is the error of a panic, without what it says: that may be content.
func PanicFault(p any) error { return fmt.Errorf("panic of type %T", p) }
