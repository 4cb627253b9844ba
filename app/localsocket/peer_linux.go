package localsocket

import (
	"net"
	"os"
	"syscall"
)

// isOwn reports whether the process at the other end is of the same person.
func isOwn(conn net.Conn) bool {
	socket, ok := conn.(*net.UnixConn)
	if !ok {
		return false
	}
	raw, err := socket.SyscallConn()
	if err != nil {
		return false
	}
	var peer *syscall.Ucred
	var asked error
	err = raw.Control(func(fd uintptr) {
		peer, asked = syscall.GetsockoptUcred(int(fd), syscall.SOL_SOCKET, syscall.SO_PEERCRED)
	})
	return err == nil && asked == nil && int(peer.Uid) == os.Getuid()
}
