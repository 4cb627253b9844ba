//go:build !windows

package plainfile

import (
	"os"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// nonBlocking keeps the opening of a pipe from waiting for its other end.
const nonBlocking = syscall.O_NONBLOCK

// OpenShared opens whatever has this name for reading, without waiting.
func OpenShared(path string) (*os.File, error) { return os.OpenFile(path, os.O_RDONLY|nonBlocking, 0) }

// begin waits for something to read in a pipe. Where nothing comes, reading tells a
// pipe with a writer (EAGAIN: it may take its time) from one without (the end). A
// byte that came meanwhile is handed on.
func begin(f *os.File, wait time.Duration) (begun []byte, written bool) {
	raw, err := f.SyscallConn()
	if err != nil {
		return nil, false
	}
	_ = raw.Control(func(fd uintptr) {
		polled := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}
		if n, err := unix.Poll(polled, int(wait/time.Millisecond)); n > 0 && err == nil {
			written = true
			return
		}
		one := make([]byte, 1)
		n, err := unix.Read(int(fd), one)
		begun, written = one[:max(n, 0)], n > 0 || err == unix.EAGAIN
	})
	return begun, written
}

// IsOwn reports whether a file belongs to this account.
func IsOwn(info os.FileInfo) bool {
	st, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(st.Uid) == os.Getuid()
}
