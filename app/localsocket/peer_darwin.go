package localsocket

import "golang.org/x/sys/unix"

// peerUID asks the system whose process is at the other end of a socket.
func peerUID(fd int) (int, error) {
	peer, err := unix.GetsockoptXucred(fd, unix.SOL_LOCAL, unix.LOCAL_PEERCRED)
	if err != nil {
		return 0, err
	}
	return int(peer.Uid), nil
}
