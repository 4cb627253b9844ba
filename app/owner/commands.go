package owner

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"io"
	"net"
	"strconv"
	"sync"
	"time"

	"keepsake/backend/core"
	"keepsake/backend/fault"
)

// Command is a command of the command line that another process was given.
type Command struct {
	Args  []string // behind the name of the program
	Input []byte   // what it read from its standard input
}

// Runner runs a command on the vault of a service, and returns its exit code.
type Runner func(ctx context.Context, service *core.Service, c Command, stdout, stderr io.Writer) int

// commands runs commands of other processes.
type commands struct {
	service *core.Service
	run     Runner
}

// serve runs one command of a client that proves to have the vault's key, which it does by
// sealing what it sends. It ends with the client, and when the vault is locked.
func (c commands) serve(ctx context.Context, conn net.Conn, f *frames, nonce []byte) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	key, bound, release, err := c.service.HoldChannelKey(ctx)
	if err != nil {
		_ = f.write(challenge{Version: Version, Error: errorOf(err)})
		return
	}
	defer release()
	own := make([]byte, nonceSize)
	_, _ = rand.Read(own) // never fails
	ch, err := newChannel(f, key, nonce, own, true)
	clear(key[:])
	if err != nil || f.write(challenge{Version: Version, Nonce: own}) != nil {
		return
	}
	command, err := receiveCommand(ch)
	if errors.Is(err, errNoKey) {
		c.refuse(ctx, conn, f)
	}
	if err != nil {
		return
	}
	_ = conn.SetDeadline(time.Time{})
	s := sending{conn: conn, channel: ch, out: newOutput(mostHeld), leave: cancel}
	s.during(bound, func(stdout, stderr io.Writer) int { return c.run(bound, c.service, command, stdout, stderr) })
}

// refuse counts a client that does not have the key, and lets it wait.
func (c commands) refuse(ctx context.Context, conn net.Conn, f *frames) {
	c.service.NoteNoChannelKey()
	select {
	case <-ctx.Done():
	case <-time.After(refusedWait):
	}
	_ = conn.SetDeadline(time.Now().Add(helloTimeout))
	_ = f.write(sealedFrame{Error: told(fault.New(fault.Refused, "command-key", "This command does not have the key of the vault."))})
}

// receiveCommand reads a command, and what it was given on standard input.
func receiveCommand(ch channel) (c Command, err error) {
	for {
		kind, text, err := ch.receive()
		switch {
		case err != nil:
			return c, err
		case kind == kindArguments && c.Args == nil && json.Unmarshal(text, &c.Args) == nil:
		case kind == kindInput && len(c.Input)+len(text) <= maxInput:
			c.Input = append(c.Input, text...)
		case kind == kindRun && len(c.Args) > 0:
			return c, nil
		default:
			return c, errFrame
		}
	}
}

// sending sends what a command writes.
type sending struct {
	conn    net.Conn
	channel channel
	out     *output
	leave   func() // ends the command
}

// during runs a command and sends what it writes, and its exit code. A client that says anything
// more has left, and so has one that reads nothing for a while.
func (s sending) during(ctx context.Context, run func(stdout, stderr io.Writer) int) {
	defer context.AfterFunc(ctx, s.out.breakOff)()
	var listening, sent sync.WaitGroup
	listening.Go(func() {
		_, _, _ = s.channel.receive()
		s.leave()
	})
	sent.Go(s.all)
	code := run(s.out.writer(kindOut), s.out.writer(kindErr))
	s.out.end()
	sent.Wait()
	s.one(kindExit, []byte(strconv.Itoa(code)))
	s.conn.Close()
	listening.Wait()
}

func (s sending) all() {
	for {
		next, ok := s.out.take()
		if !ok {
			return
		}
		s.one(next.kind, next.text)
	}
}

func (s sending) one(kind byte, text []byte) {
	_ = s.conn.SetWriteDeadline(time.Now().Add(stallTimeout))
	if s.channel.send(kind, text) != nil {
		s.conn.Close()
		s.out.breakOff() // before the next piece is taken, which makes room
		s.leave()
	}
}
