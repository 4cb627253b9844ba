package localsocket

import "syscall"

// peerUID asks the system whose process is at the other end of a socket.
func peerUID(fd int) (int, error) {
	peer, err := syscall.GetsockoptUcred(fd, syscall.SOL_SOCKET, syscall.SO_PEERCRED)
	if err != nil {
		return 0, err
	}
	return int(peer.Uid), nil
}
