package owner

import (
	"bufio"
	"encoding/json"
	"errors"
	"io"
	"path/filepath"
	"slices"
	"time"

	"keepsake/backend/fault"
)

// Version is that of the protocol. A client of another one is refused in words.
const Version = 1

// purpose names the socket.
const purpose = "agents"

// Bounds of a connection.
const (
	maxFrame     = 1 << 20          // bytes of a line
	maxArguments = 512 << 10        // bytes of the arguments in it
	mostCalls    = 8                // under way at once on one connection
	mostConns    = 64               // at once
	helloTimeout = 5 * time.Second  // for a client to say who it is
	idleTimeout  = 10 * time.Minute // of a connection with no call under way; the client makes another one
)

// Bounds of a command of the command line.
const (
	nonceSize    = 32               // bytes
	maxInput     = 2 << 20          // bytes of its standard input
	mostHeld     = 1 << 20          // bytes of its output that the owner holds until they are sent
	mostRead     = 64 << 20         // bytes of it that the client holds until they are written: a pager waits for its reader
	stallTimeout = 10 * time.Second // in which the client takes nothing; until then a command may hold a lock of the service
	refusedWait  = time.Second      // until a client without the key is told so
)

// hello is the first line of a client: an agent, or a command.
type hello struct {
	Version int    `json:"keepsake"`
	Client  string `json:"client,omitempty"`  // the name under which it asks
	Key     string `json:"key,omitempty"`     // its public key (Ed25519), PEM
	Command []byte `json:"command,omitempty"` // a nonce; of the command line, which has no name
}

// challenge is the answer: the client signs the nonce, or a channel is made of both.
type challenge struct {
	Version int    `json:"keepsake"`
	Nonce   []byte `json:"nonce,omitempty"`
	Error   *Error `json:"error,omitempty"`
}

// proof is what the client says then.
type proof struct {
	Signature []byte `json:"signature"` // of signed(nonce, client)
}

// signed is what a client signs, so that the signature is of no use elsewhere.
func signed(nonce []byte, client string) []byte {
	return append([]byte("keepsake agent "+client+"\x00"), nonce...)
}

// request is a call. The owner answers each with a response of the same ID, in any order.
type request struct {
	ID        uint64          `json:"id"`
	Tool      string          `json:"tool"`
	Arguments json.RawMessage `json:"arguments,omitempty"`
}

// response is the answer to a call: a result or an error.
type response struct {
	ID     uint64          `json:"id"`
	Result json.RawMessage `json:"result,omitempty"`
	Error  *Error          `json:"error,omitempty"`
}

// Error is a fault on its way to an agent.
type Error struct {
	Code    fault.Code `json:"code"`
	Reason  string     `json:"reason"`
	Message string     `json:"message"`
	Advice  string     `json:"advice,omitempty"`
}

// Error returns the sentence, and what to do.
func (e *Error) Error() string {
	if e.Advice == "" {
		return e.Message
	}
	return e.Message + " " + e.Advice
}

// told returns a fault in its own words.
func told(f *fault.Error) *Error { return &Error{f.Code, f.Reason, f.Message(), f.Advice()} }

// errorOf returns an error as an agent is told of it. It never tells where on the disk something is,
// nor what went wrong inside: that is for people only.
func errorOf(err error) *Error {
	f := fault.From(err)
	switch {
	case f.Reason == "vault-locked":
		return &Error{f.Code, f.Reason, "Keepsake is locked.", "Unlock it in its window, then ask again."}
	case f.Reason == "no-vault":
		return &Error{f.Code, f.Reason, "There is no vault any more.", "Make or open one in Keepsake, then ask again."}
	case f.Code == fault.Internal || namesPath(f):
		return &Error{f.Code, f.Reason, "Keepsake cannot answer this.", "Look at its window."}
	}
	return told(f)
}

// namesPath reports whether a fault says where on the disk something is.
func namesPath(f *fault.Error) bool {
	for name, value := range f.Args {
		if slices.Contains([]string{"folder", "path", "file", "aside"}, name) || filepath.IsAbs(value) {
			return true
		}
	}
	return false
}

// frames reads and writes lines of JSON.
type frames struct {
	in  *bufio.Scanner
	out io.Writer
}

func newFrames(conn io.ReadWriter) *frames {
	in := bufio.NewScanner(conn)
	in.Buffer(make([]byte, 0, 4<<10), maxFrame)
	return &frames{in, conn}
}

// errFrame says that a line is none of the protocol.
var errFrame = errors.New("a line is not of the protocol")

func (f *frames) read(into any) error {
	if !f.in.Scan() {
		if err := f.in.Err(); err != nil {
			return err
		}
		return io.EOF
	}
	if json.Unmarshal(f.in.Bytes(), into) != nil {
		return errFrame
	}
	return nil
}

func (f *frames) write(v any) error {
	line, err := json.Marshal(v)
	if err != nil {
		return err
	}
	_, err = f.out.Write(append(line, '\n'))
	return err
}
