package vaultdir

import (
	"os"

	"golang.org/x/sys/windows"

	"keepsake/backend/plainfile"
)

// openFile is os.OpenFile, but what is open for reading may be removed meanwhile, such as
// an attachment that the page shows.
//
// Windows' links (reparse points) are told by the look at the name before it is opened.
// Opening them as such would read nothing of files that a file system keeps elsewhere,
// such as deduplicated ones.
func openFile(path string, flag int) (*os.File, error) {
	if flag != os.O_RDONLY {
		return os.OpenFile(path, flag, FilePerm)
	}
	return plainfile.OpenShared(path)
}

func isLinkError(error) bool { return false }

// isForeign is not asked: the access list of the folder says who may write there.
func isForeign(string, os.FileInfo) bool { return false }

// hasSecondName reports a file with more than one hard link.
func hasSecondName(f *os.File, _ os.FileInfo) bool {
	var is windows.ByHandleFileInformation
	return windows.GetFileInformationByHandle(windows.Handle(f.Fd()), &is) == nil && is.NumberOfLinks > 1
}
