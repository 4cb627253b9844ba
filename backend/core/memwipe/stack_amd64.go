package memwipe

// overwriteBelow overwrites the unused part of its goroutine's stack with zeros.
//
//go:noescape
func overwriteBelow()
