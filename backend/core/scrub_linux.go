package core

import "golang.org/x/sys/unix"

// interrupted has this thread take a signal that Go knows and that asks for nothing.
// What its vector registers hold is put aside on its stack for signals, so they are
// handed zeros first, as for hold.
//
//go:noinline
func interrupted(_, _, _, _, _, _, _, _, _, _, _, _, _, _, _ float64) {
	_ = unix.Tgkill(unix.Getpid(), unix.Gettid(), unix.SIGURG)
}
