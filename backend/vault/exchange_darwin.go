package vault

import "golang.org/x/sys/unix"

// exchange lets two folders change names in one step. It reports whether the
// file system did.
func exchange(a, b string) bool { return unix.RenamexNp(a, b, unix.RENAME_SWAP) == nil }
