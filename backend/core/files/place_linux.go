package files

import "golang.org/x/sys/unix"

// onNetwork asks the kernel what file system dir, or the folder it will be made
// in, lies on.
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
