package atomicfile

// SyncDir does nothing: Windows cannot flush a folder, and NTFS journals names.
func SyncDir(string) error { return nil }
