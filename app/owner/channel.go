package owner

import (
	"context"
	"errors"
	"io"
	"sync"

	"keepsake/backend/core"
)

// What a frame of a channel is, its first byte.
const (
	kindArguments = 'a' // client: the words of the command, as JSON
	kindInput     = 'i' // client: a piece of its standard input
	kindRun       = 'r' // client: that was all
	kindOut       = 'o' // owner: a piece of standard output
	kindErr       = 'e' // owner: a piece of standard error
	kindExit      = 'x' // owner: the exit code, in digits; the last frame
)

// maxPiece is how many bytes of input or output are in a frame.
const maxPiece = 64 << 10

// errNoKey says that a frame was not sealed by who has the vault's key.
var errNoKey = errors.New("a frame of a channel does not open")

// channel is what two processes say to each other that both can open the vault.
type channel struct {
	frames *frames
	ends   interface {
		Seal(plain []byte) []byte
		Open(sealed []byte) ([]byte, error)
	}
}

// sealedFrame is a line on a channel. Error is of an owner that cannot open what the client sent.
type sealedFrame struct {
	Sealed []byte `json:"sealed,omitempty"`
	Error  *Error `json:"error,omitempty"`
}

// newChannel returns one end; the nonces are those of client and owner.
func newChannel(f *frames, key *core.ChannelKey, client, owner []byte, answers bool) (channel, error) {
	if len(client) != nonceSize || len(owner) != nonceSize {
		return channel{}, errFrame
	}
	ends, err := key.Channel([nonceSize]byte(client), [nonceSize]byte(owner), answers)
	return channel{f, ends}, err
}

func (c channel) send(kind byte, text []byte) error {
	return c.frames.write(sealedFrame{Sealed: c.ends.Seal(append([]byte{kind}, text...))})
}

func (c channel) receive() (kind byte, text []byte, err error) {
	var f sealedFrame
	if err := c.frames.read(&f); err != nil {
		return 0, nil, err
	}
	if f.Error != nil {
		return 0, nil, f.Error
	}
	plain, err := c.ends.Open(f.Sealed)
	if err != nil || len(plain) == 0 {
		return 0, nil, errNoKey
	}
	return plain[0], plain[1:], nil
}

// piece is a part of an output.
type piece struct {
	kind byte
	text []byte
}

// output is a bounded queue of what a command has written and the owner has not sent yet.
type output struct {
	most int

	mu     sync.Mutex
	moved  *sync.Cond
	pieces []piece
	held   int  // bytes
	broken bool // nobody waits for room any more
	ended  bool // nothing more comes
}

func newOutput(most int) *output {
	o := &output{most: most}
	o.moved = sync.NewCond(&o.mu)
	return o
}

// put waits for room, until breakOff. After that only the sentence that says why has a place.
func (o *output) put(kind byte, text []byte) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	for len(text) > 0 {
		for o.held >= o.most && !o.broken {
			o.moved.Wait()
		}
		if o.broken && kind != kindErr {
			return context.Canceled
		}
		text = text[o.add(kind, text):]
		o.moved.Broadcast()
	}
	return nil
}

// add adds the beginning of a text, to the last piece where that is of the same kind and has
// room, and returns how much it was.
func (o *output) add(kind byte, text []byte) int {
	last := len(o.pieces) - 1
	if last < 0 || o.pieces[last].kind != kind || len(o.pieces[last].text) == maxPiece {
		o.pieces = append(o.pieces, piece{kind: kind})
		last++
	}
	n := min(len(text), maxPiece-len(o.pieces[last].text))
	o.pieces[last].text = append(o.pieces[last].text, text[:n]...)
	o.held += n
	return n
}

// take waits for the next piece; false says that there is none any more.
func (o *output) take() (piece, bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for len(o.pieces) == 0 && !o.ended {
		o.moved.Wait()
	}
	if len(o.pieces) == 0 {
		return piece{}, false
	}
	next := o.pieces[0]
	o.pieces = o.pieces[1:]
	o.held -= len(next.text)
	o.moved.Broadcast()
	return next, true
}

// end says that nothing more comes.
func (o *output) end() { o.set(&o.ended) }

// breakOff wakes writers that wait for room: from now on put fails, except for standard error.
func (o *output) breakOff() { o.set(&o.broken) }

func (o *output) set(what *bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	*what = true
	o.moved.Broadcast()
}

// writer writes to the output as one kind.
func (o *output) writer(kind byte) io.Writer { return outputWriter{o, kind} }

type outputWriter struct {
	o    *output
	kind byte
}

// Write implements io.Writer.
func (w outputWriter) Write(p []byte) (int, error) {
	if err := w.o.put(w.kind, p); err != nil {
		return 0, err
	}
	return len(p), nil
}
