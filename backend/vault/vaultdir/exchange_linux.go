package vaultdir

import "golang.org/x/sys/unix"

// Exchange lets two folders change names in one step. It reports whether the
// file system did.
func Exchange(a, b string) bool {
	return unix.Renameat2(unix.AT_FDCWD, a, unix.AT_FDCWD, b, unix.RENAME_EXCHANGE) == nil
}
