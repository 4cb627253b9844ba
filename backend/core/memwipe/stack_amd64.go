package memwipe

// overwriteBelow overwrites all of its goroutine's stack that is not in use.
//
//go:noescape
func overwriteBelow()
