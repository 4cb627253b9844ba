//go:build linux || darwin

package localsocket

import (
	"net"
	"os"
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
	var uid int
	var asked error
	err = raw.Control(func(fd uintptr) { uid, asked = peerUID(int(fd)) })
	return err == nil && asked == nil && uid == os.Getuid()
}
