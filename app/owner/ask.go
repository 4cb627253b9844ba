package owner

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"io"
	"net"
	"slices"
	"strconv"
	"time"

	"keepsake/app/localsocket"
	"keepsake/backend/core"
	"keepsake/backend/fault"
)

// ErrNoOwner says that no process answers commands for a vault now: there is none, or it has the
// vault locked.
var ErrNoOwner = fault.New(fault.Busy, "no-owner", "The Keepsake that had this vault open has just closed it.").Advise("Try again.")

// Answers returns nil if a process answers commands for the vault in a folder, ErrNoOwner if none
// does, and otherwise a fault.
func Answers(vaultDir string) error {
	c, err := reach(vaultDir)
	if err != nil {
		return err
	}
	return c.conn.Close()
}

// Ask has the owner of a vault run a command, writes what it writes, and returns its exit code.
func Ask(ctx context.Context, vaultDir string, key *core.ChannelKey, c Command, stdout, stderr io.Writer) (exit int, err error) {
	to, err := reach(vaultDir)
	if err != nil {
		return 0, err
	}
	defer to.conn.Close()
	defer context.AfterFunc(ctx, func() { to.conn.Close() })()
	ch, err := newChannel(to.frames, key, to.own, to.owners, false)
	if err != nil {
		return 0, errBrokenOff(err)
	}
	if err := sendCommand(ch, c); err != nil {
		return 0, ended(ctx, err)
	}
	_ = to.conn.SetDeadline(time.Time{})
	out := newOutput(mostRead)
	received := make(chan error, 1)
	go func() {
		var err error
		exit, err = receiveOutput(ch, out)
		out.end()
		received <- err
	}()
	if err := out.copyTo(stdout, stderr); err != nil {
		to.conn.Close()
		out.breakOff()
		<-received
		return 0, err
	}
	return exit, ended(ctx, <-received)
}

// reached is a connection to an owner that answers commands.
type reached struct {
	conn        net.Conn
	frames      *frames
	own, owners []byte // nonces
}

func reach(vaultDir string) (c reached, err error) {
	c.own = make([]byte, nonceSize)
	_, _ = rand.Read(c.own) // never fails
	if c.conn, err = localsocket.Dial(purpose, vaultDir); err != nil {
		return c, ErrNoOwner
	}
	c.frames = newFrames(c.conn)
	_ = c.conn.SetDeadline(time.Now().Add(helloTimeout))
	var ch challenge
	if err = c.frames.write(hello{Version: Version, Command: c.own}); err == nil {
		err = c.frames.read(&ch)
	}
	switch {
	case err != nil:
		err = ErrNoOwner
	case ch.Error != nil && slices.Contains([]string{"agent-protocol", "agent-key"}, ch.Error.Reason): // one of before commands has no use for a hello without a key
		err = fault.New(fault.Busy, "owner-other-version", "The Keepsake that has this vault open is of another version than this command.").
			Advise("Close it and start it again, then try again.")
	case ch.Error != nil:
		err = ErrNoOwner
	}
	if err != nil {
		c.conn.Close()
	}
	c.owners = ch.Nonce
	return c, err
}

func sendCommand(ch channel, c Command) error {
	words, err := json.Marshal(c.Args)
	if err != nil {
		return err
	}
	if len(words) > maxArguments {
		return fault.New(fault.TooLarge, "command-too-long", "The words of this command are longer than {limit} KiB, and another Keepsake has the vault open.").With("limit", maxArguments>>10).
			Advise("Give the text on standard input, or close the other one.")
	}
	err = ch.send(kindArguments, words)
	for text := range slices.Chunk(c.Input, maxPiece) {
		err = errors.Join(err, ch.send(kindInput, text))
	}
	return errors.Join(err, ch.send(kindRun, nil))
}

// receiveOutput takes what a command writes, and returns its exit code.
func receiveOutput(ch channel, out *output) (exit int, err error) {
	for {
		kind, text, err := ch.receive()
		switch {
		case err != nil:
			return 0, err
		case kind == kindOut || kind == kindErr:
			if err := out.put(kind, text); err != nil {
				return 0, err
			}
		case kind == kindExit:
			return strconv.Atoi(string(text))
		default:
			return 0, errFrame
		}
	}
}

// copyTo writes an output to where a command of this process would.
func (o *output) copyTo(stdout, stderr io.Writer) error {
	for {
		next, ok := o.take()
		if !ok {
			return nil
		}
		to := stdout
		if next.kind == kindErr {
			to = stderr
		}
		if _, err := to.Write(next.text); err != nil {
			return err
		}
	}
}

// ended says why a command broke off.
func ended(ctx context.Context, err error) error {
	var refused *Error
	switch {
	case err == nil, fault.Known(err):
		return err
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.As(err, &refused), errors.Is(err, errNoKey): // one of the two has another vault's key, or none
		return fault.New(fault.Refused, "owner-other-key", "What answers for this vault and this command do not have the same key; neither could read the other.").
			Advise("Close every Keepsake that is open, then try again.").Because(err)
	}
	return errBrokenOff(err)
}

func errBrokenOff(cause error) error {
	return fault.New(fault.Cancelled, "owner-broke-off", "Keepsake stopped answering before the command was finished; what it was to do may have been done.").
		Advise("Look whether Keepsake is still open, and look before you run the command again.").Because(cause)
}
