package system

import "golang.org/x/sys/unix"

// Shield keeps what is in memory out of core dumps and out of the reach of
// other processes of the same person. It is for a process that is about to
// unlock a vault. Where the system refuses, the process runs on as any other
// does.
func Shield() {
	_ = unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0)
	_ = unix.Setrlimit(unix.RLIMIT_CORE, &unix.Rlimit{})
}
