package cli

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"golang.org/x/term"

	"keepsake/backend/fault"
	"keepsake/backend/plainfile"
)

// maxPassphrase bounds what is read as one line, in bytes.
const maxPassphrase = 4096

// passphraseFlags are the ways a passphrase can be given; never as an argument.
type passphraseFlags struct {
	file     string
	fd       int
	keychain bool   // open the vault with what the system's keychain holds
	recovery string // file with the recovery key, which opens the vault as well
}

func (p *passphraseFlags) register(flags *pflag.FlagSet) {
	flags.StringVar(&p.file, "passphrase-file", "", `file whose first line is the passphrase; "-" is standard input; where no flag names a secret, KEEPSAKE_PASSPHRASE_FILE does`)
	flags.StringVar(&p.recovery, "recovery-file", "", `file whose first line is the recovery key, to open the vault without its passphrase; "-" is standard input`)
	flags.BoolVar(&p.keychain, "keychain", false, "open the vault with what this computer's keychain holds, where keepsake keychain allow was used")
	flags.IntVar(&p.fd, "passphrase-fd", -1, "open file descriptor whose first line is the passphrase")
}

// exclude refuses two of them at once: one would be overruled.
func (p *passphraseFlags) exclude(root *cobra.Command) {
	root.MarkFlagsMutuallyExclusive("passphrase-file", "passphrase-fd", "recovery-file", "keychain")
}

// given is the flag that was given, "" where none was.
func (p *passphraseFlags) given() string {
	switch {
	case p.file != "":
		return "passphrase-file"
	case p.fd >= 0:
		return "passphrase-fd"
	case p.recovery != "":
		return "recovery-file"
	case p.keychain:
		return "keychain"
	}
	return ""
}

// passphrase reads it from where it was put; twice at a terminal where a new
// one is being chosen.
func (d *door) passphrase(prompt string, isNew bool) ([]byte, error) {
	if flag := d.pass.given(); flag == "recovery-file" || flag == "keychain" {
		return nil, usageError{fmt.Errorf("a passphrase is needed here, and --%s gives none", flag)}
	}
	switch file := d.passphraseFile(); {
	case d.pass.fd >= 0:
		return readLine(os.NewFile(uintptr(d.pass.fd), "passphrase"))
	case file != "":
		return d.lineOf(file)
	}
	return d.askTerminal(prompt, isNew)
}

func (d *door) passphraseFile() string {
	if d.pass.given() != "" {
		return d.pass.file
	}
	return d.env.Getenv("KEEPSAKE_PASSPHRASE_FILE")
}

// prompts reports that a person is going to be asked for a secret of the vault.
func (d *door) prompts() bool {
	return d.pass.given() == "" && d.passphraseFile() == "" && d.hasTerminal()
}

// lineOf is the first line of a file; "-" is standard input.
func (d *door) lineOf(path string) ([]byte, error) {
	if path == "-" {
		in, err := d.stdin()
		if err != nil {
			return nil, err
		}
		return readLine(in)
	}
	f, err := plainfile.OpenStream(path)
	if fault.Known(err) {
		return nil, err
	}
	if err != nil {
		return nil, fault.New(fault.Invalid, "passphrase-file", "The passphrase file {name} cannot be read.").
			With("name", path).Because(err)
	}
	defer f.Close()
	d.sayOpenSecret(path)
	return readLine(f)
}

// stdin hands out standard input, once: of two that read it, such as a passphrase and a
// pasted text, each would get a part of what was meant.
func (d *door) stdin() (io.Reader, error) {
	if d.stdinTaken {
		return nil, fault.New(fault.Invalid, "two-from-stdin", "Two things cannot both come from standard input.").
			Advise("Give one of them as a file.")
	}
	d.stdinTaken = true
	return d.env.Stdin, nil
}

// sayOpenSecret tells of a file with a secret that other accounts of this computer can
// read. It is used all the same: whoever put it there may have no other way. The
// permission bits say nothing about a pipe, and there are none on Windows (ACLs).
func (d *door) sayOpenSecret(path string) {
	info, err := os.Stat(path)
	if err != nil || runtime.GOOS == "windows" || !info.Mode().IsRegular() || info.Mode().Perm()&0o077 == 0 {
		return
	}
	d.note("Others on this computer can read %s, which holds a secret. Let only yourself read it: chmod 600.", path)
}

func readLine(r io.Reader) ([]byte, error) {
	if r == nil {
		return nil, fault.New(fault.Invalid, "passphrase-fd", "The file descriptor for the passphrase is not open.")
	}
	line, err := bufio.NewReader(io.LimitReader(r, maxPassphrase)).ReadBytes('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, fault.New(fault.Invalid, "passphrase-unreadable", "The passphrase could not be read.").Because(err)
	}
	line = bytes.TrimRight(line, "\r\n")
	if len(line) == 0 {
		return nil, fault.New(fault.Invalid, "passphrase-empty", "The passphrase is empty.")
	}
	return line, nil
}

func (d *door) askTerminal(prompt string, isNew bool) ([]byte, error) {
	in, ok := d.env.Stdin.(*os.File)
	if !ok || !d.hasTerminal() {
		return nil, fault.New(fault.Invalid, "no-passphrase", "There is no terminal to ask for the passphrase.").
			Advise("Give it with --passphrase-file, --passphrase-fd or KEEPSAKE_PASSPHRASE_FILE, or the recovery key with --recovery-file.")
	}
	first, err := d.ask(in, prompt)
	if err != nil || !isNew {
		return first, err
	}
	again, err := d.ask(in, "Once more: ")
	if err != nil {
		return nil, err
	}
	if !bytes.Equal(first, again) {
		return nil, fault.New(fault.Invalid, "passphrase-differs", "The two passphrases are not the same.")
	}
	return first, nil
}

func (d *door) hasTerminal() bool {
	in, ok := d.env.Stdin.(*os.File)
	return ok && term.IsTerminal(int(in.Fd()))
}

func (d *door) ask(in *os.File, prompt string) ([]byte, error) {
	d.prompt("%s", prompt)
	defer d.note("")
	line, err := term.ReadPassword(int(in.Fd()))
	if err != nil {
		return nil, fault.New(fault.Cancelled, "passphrase-cancelled", "No passphrase was typed.").Because(err)
	}
	return line, nil
}
