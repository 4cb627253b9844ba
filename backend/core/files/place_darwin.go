package files

import "golang.org/x/sys/unix"

// onNetwork reports whether dir is on a volume of another computer. If dir does not exist,
// its nearest existing parent counts.
func onNetwork(dir string) bool {
	st, ok := fileSystem(dir)
	return ok && st.Flags&unix.MNT_LOCAL == 0
}
