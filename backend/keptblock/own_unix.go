//go:build !windows

package keptblock

import (
	"os"
	"syscall"
)

// isOwn reports whether a file belongs to this account.
func isOwn(info os.FileInfo) bool {
	st, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(st.Uid) == os.Getuid()
}
