package core

import "fmt"

// caught turns a panic outside of a reader into an internal error.
func caught(err *error) {
	if p := recover(); p != nil {
		*err = panicked(p)
	}
}

func panicked(p any) error { return fmt.Errorf("panic of type %T", p) }
