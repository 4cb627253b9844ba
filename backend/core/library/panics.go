package library

import "fmt"

// Recovered, when deferred, turns a panic into an error in err. Panics of the readers of
// export files are recovered in package imports.
func Recovered(err *error) {
	if p := recover(); p != nil {
		*err = PanicFault(p)
	}
}

// PanicFault returns the error for a panic. It names only the type of the panic value,
// because the value may contain user data.
func PanicFault(p any) error { return fmt.Errorf("panic of type %T", p) }
