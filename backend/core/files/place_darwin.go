package files

import "golang.org/x/sys/unix"

// onNetwork reports whether dir, or the folder it will be made in, lies on a
// volume that is not of this computer.
func onNetwork(dir string) bool {
	st, ok := fileSystem(dir)
	return ok && st.Flags&unix.MNT_LOCAL == 0
}
