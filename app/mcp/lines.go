package mcp

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"keepsake/backend/jcs"
)

// Bounds of a message of an assistant.
const (
	longestLine = 1 << 20 // bytes
	mostDepth   = 64      // of objects and lists within each other
)

// lines passes on the lines of an assistant that are messages. One that is none would end the
// connection in the SDK; here it is answered with an error, as JSON-RPC says, and the next is read.
type lines struct {
	io.Closer
	in   *bufio.Reader
	out  io.Writer // where answers of the SDK go, too
	line []byte    // whose memory the next line takes
	rest []byte    // of it, to be passed on
}

func newLines(in io.ReadCloser, out io.Writer) *lines {
	return &lines{Closer: in, in: bufio.NewReader(in), out: out}
}

// Read reads from one message at a time.
func (l *lines) Read(p []byte) (int, error) {
	for len(l.rest) == 0 {
		whole, err := l.next()
		if err != nil {
			return 0, err
		}
		message := bytes.TrimSpace(l.line)
		if len(message) == 0 && whole {
			continue
		}
		if wrong := malformed(message, whole); wrong != nil {
			if err := l.answer(wrong); err != nil {
				return 0, err
			}
			continue
		}
		l.rest = append(message, '\n')
	}
	n := copy(p, l.rest)
	l.rest = l.rest[n:]
	return n, nil
}

// next reads the next line. Of one that is too long nothing is kept, and whole is false.
func (l *lines) next() (whole bool, err error) {
	l.line, whole = l.line[:0], true
	for {
		part, err := l.in.ReadSlice('\n')
		if whole = whole && len(l.line)+len(part) <= longestLine; whole {
			l.line = append(l.line, part...)
		} else {
			l.line = l.line[:0]
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
		case errors.Is(err, io.EOF) && (len(l.line) > 0 || !whole):
			return whole, nil // the next read says that it was the last
		default:
			return whole, err
		}
	}
}

// malformed returns what is wrong with a message, nil if the SDK can read it.
func malformed(message []byte, whole bool) *jsonrpc.Error {
	switch {
	case !whole:
		return &jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest, Message: "The message is longer than 1 MiB."}
	case jcs.IsDeeper(message, mostDepth):
		return &jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest, Message: "The message has more than 64 levels."}
	case !json.Valid(message):
		return &jsonrpc.Error{Code: jsonrpc.CodeParseError, Message: "The message is not JSON."}
	case message[0] != '{':
		return &jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest, Message: "The message is not an object."}
	}
	if _, err := jsonrpc.DecodeMessage(message); err != nil {
		return &jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest, Message: "The message is not of JSON-RPC 2.0."}
	}
	return nil
}

// answer writes an error that belongs to no request.
func (l *lines) answer(wrong *jsonrpc.Error) error {
	text, err := unasked(wrong)
	if err != nil {
		return err
	}
	_, err = l.out.Write(append(text, '\n'))
	return err
}

// unasked is the message of an error that belongs to no request.
func unasked(wrong *jsonrpc.Error) ([]byte, error) {
	return json.Marshal(struct {
		Version string         `json:"jsonrpc"`
		ID      *int           `json:"id"` // null
		Error   *jsonrpc.Error `json:"error"`
	}{"2.0", nil, wrong})
}

// sharedWriter lets several write lines, each in one call.
type sharedWriter struct {
	io.WriteCloser
	mu sync.Mutex
}

// Write writes one line.
func (w *sharedWriter) Write(line []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.WriteCloser.Write(line)
}
