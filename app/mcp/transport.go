package mcp

import (
	"context"
	"errors"
	"io"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// lastAnswers is how long calls under way are waited for once the client has closed its end.
const lastAnswers = 10 * time.Second

// transport is that of the SDK, but that calls which came before the end of the input are answered:
// the SDK drops them.
type transport struct{ mcp.IOTransport }

// Connect returns the connection.
func (t *transport) Connect(ctx context.Context) (mcp.Connection, error) {
	c, err := t.IOTransport.Connect(ctx)
	return &connection{Connection: c, answered: make(chan struct{}, 1), closed: make(chan struct{})}, err
}

// connection counts the calls that have no answer yet.
type connection struct {
	mcp.Connection
	answered chan struct{} // a call was answered
	closed   chan struct{}
	once     sync.Once

	mu      sync.Mutex
	waiting map[jsonrpc.ID]bool
}

// Read returns the next message. At the end of the input it waits for answers first.
func (c *connection) Read(ctx context.Context) (jsonrpc.Message, error) {
	message, err := c.Connection.Read(ctx)
	if r, ok := message.(*jsonrpc.Request); ok && err == nil && r.IsCall() {
		c.note(r.ID, true)
	}
	if errors.Is(err, io.EOF) {
		c.drain()
	}
	return message, err
}

// Write sends a message.
func (c *connection) Write(ctx context.Context, message jsonrpc.Message) error {
	err := c.Connection.Write(ctx, message)
	if r, ok := message.(*jsonrpc.Response); ok {
		c.note(r.ID, false)
		select {
		case c.answered <- struct{}{}:
		default:
		}
	}
	return err
}

// Close closes the connection.
func (c *connection) Close() error {
	c.once.Do(func() { close(c.closed) })
	return c.Connection.Close()
}

func (c *connection) note(id jsonrpc.ID, waits bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.waiting == nil {
		c.waiting = map[jsonrpc.ID]bool{}
	}
	if waits {
		c.waiting[id] = true
	} else {
		delete(c.waiting, id)
	}
}

func (c *connection) isIdle() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.waiting) == 0
}

// drain waits until all calls are answered. A call that was cancelled may never be.
func (c *connection) drain() {
	limit := time.NewTimer(lastAnswers)
	defer limit.Stop()
	for !c.isIdle() {
		select {
		case <-c.answered:
		case <-c.closed:
			return
		case <-limit.C:
			return
		}
	}
}
