package files

import "golang.org/x/sys/unix"

// onNetwork reports whether dir is on a network file system. If dir does not exist, its
// nearest existing parent counts.
func onNetwork(dir string) bool {
	st, ok := fileSystem(dir)
	if !ok {
		return false
	}
	switch int64(st.Type) {
	case unix.NFS_SUPER_MAGIC, unix.SMB_SUPER_MAGIC, unix.SMB2_SUPER_MAGIC, unix.CIFS_SUPER_MAGIC,
		unix.AFS_SUPER_MAGIC, unix.CEPH_SUPER_MAGIC, unix.NCP_SUPER_MAGIC, unix.CODA_SUPER_MAGIC, unix.V9FS_MAGIC:
		return true
	}
	return false
}
