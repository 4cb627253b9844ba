package files

import (
	"errors"
	"path/filepath"

	"keepsake/backend/fault"
)

// WriteFault turns an error of writing dest into a fault, whose message people understand.
func WriteFault(dest string, err error) error {
	var f *fault.Error
	switch {
	case err == nil || errors.As(err, &f):
		return err
	case fault.Stopped(err):
		return fault.New(fault.Cancelled, "export-cancelled", "Stopped before it was finished; nothing was written.").Because(err)
	case NoRoom(err):
		return fault.New(fault.TooLarge, "export-disk-full", "The disk is full, so {file} was not written.").With("file", filepath.Base(dest)).
			Advise("Make room, or choose another disk.").Because(err)
	}
	return ErrDestination(dest, err)
}

// ErrDestination returns the fault for a file that cannot be written.
func ErrDestination(dest string, cause error) error {
	return fault.New(fault.Refused, "export-not-written", "{file} could not be written there.").With("file", filepath.Base(dest)).
		Advise("Check that the folder exists and that you may write to it, or choose another.").Because(cause)
}
