package cli

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"golang.org/x/term"

	"keepsake/backend/atomicfile"
	"keepsake/backend/fault"
)

// stdoutName is what -o takes for standard output.
const stdoutName = "-"

// passing is a file on its way to standard output. It is written and read again like
// any other before its first byte leaves.
type passing struct {
	folder *atomicfile.Folder
	path   string
}

// destination is where a command writes what -o names. For "-" that is a file called
// name which passes to standard output once it is finished; what the command says of it
// then goes to standard error.
func (d *door) destination(out, name string) (string, error) {
	if out != stdoutName {
		return out, nil
	}
	if d.json {
		return "", usageError{errors.New("-o - writes the file to standard output, where --json writes its answer; leave one of them away")}
	}
	if to, ok := d.env.Stdout.(*os.File); ok && term.IsTerminal(int(to.Fd())) {
		return "", usageError{errors.New("-o - is for another program or a file that reads standard output, and that is a terminal; name a file instead")}
	}
	folder, err := atomicfile.NewPassing("out")
	if err != nil {
		return "", fault.New(fault.TooLarge, "no-room-for-export", "There is no place to prepare the file in.").Because(err)
	}
	d.passing = &passing{folder, filepath.Join(folder.Path, name)}
	return d.passing.path, nil
}

// deliver writes the finished file to standard output, where it was asked for there.
func (d *door) deliver() error {
	if d.passing == nil {
		return nil
	}
	f, err := os.Open(d.passing.path)
	if err != nil {
		return fmt.Errorf("open finished file: %w", err)
	}
	defer f.Close()
	if _, err := io.Copy(d.env.Stdout, f); err != nil {
		return fault.New(fault.Refused, "stdout-unwritten", "The file could not be written to standard output.").Because(err)
	}
	return nil
}

// remove removes the file that passed on.
func (p *passing) remove() {
	if p == nil {
		return
	}
	_ = atomicfile.RemoveAll(p.folder.Path)
	p.folder.Close()
}

// written is how a file that was written is called to a person.
func (d *door) written(path string) string {
	return oneOrOther(d.passing != nil, "to standard output", path)
}

// onlyFile refuses standard output for what must be a file.
func onlyFile(path, why string) error {
	if path != stdoutName {
		return nil
	}
	return usageError{errors.New(why)}
}
