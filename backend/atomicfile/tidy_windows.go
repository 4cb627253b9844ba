package atomicfile

import "os"

// On Windows a file that a process has open cannot be removed, which serves as its
// lock. Folders have none and are not tidied away.

func hold(*os.File) bool { return true }

func keep(*os.File) bool { return true }

func openLeft(path string) (*os.File, error) { return os.Open(path) }

func removeHeld(f *os.File, path string) {
	if info, err := f.Stat(); err != nil || info.IsDir() {
		return
	}
	_ = f.Close()
	_ = os.Remove(path)
}

func lockFolder(string) (*os.File, error) { return nil, nil }

func isOwn(os.FileInfo) bool { return true }
