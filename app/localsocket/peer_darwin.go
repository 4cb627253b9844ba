package localsocket

import (
	"net"
	"os"

	"golang.org/x/sys/unix"
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
	var peer *unix.Xucred
	var asked error
	err = raw.Control(func(fd uintptr) { peer, asked = unix.GetsockoptXucred(int(fd), unix.SOL_LOCAL, unix.LOCAL_PEERCRED) })
	return err == nil && asked == nil && int(peer.Uid) == os.Getuid()
}
