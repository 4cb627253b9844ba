package owner

import (
	"context"
	"crypto/ed25519"
	"encoding/json"
	"net"
	"sync"
	"time"

	"keepsake/app/localsocket"
	"keepsake/backend/core"
	"keepsake/backend/fault"
)

// Client asks the owner of a vault as one agent. It reaches the owner at the first call, and anew
// after it went away. Its methods may be called concurrently.
type Client struct {
	vaultDir string
	name     string
	keys     string // folder

	mu   sync.Mutex
	conn *connection
}

// NewClient returns a client that asks under a name for the vault in a folder. Its key is in the
// folder keys. Nothing is reached or made yet.
func NewClient(vaultDir, name, keys string) (*Client, error) {
	name, err := core.CleanAgentName(name) // it names the file of the key too
	if err != nil {
		return nil, err
	}
	return &Client{vaultDir: vaultDir, name: name, keys: keys}, nil
}

// Close leaves the owner.
func (c *Client) Close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.conn != nil {
		c.conn.end(net.ErrClosed)
	}
}

// Ready asks what the agent may do now.
func (c *Client) Ready(ctx context.Context) (r Ready, err error) {
	err = c.Call(ctx, readyTool, struct{}{}, &r)
	return r, err
}

// Tags asks for tags with a prefix.
func (c *Client) Tags(ctx context.Context, prefix string) (t core.AgentTags, err error) {
	err = c.Call(ctx, completeTool, PrefixInput{prefix}, &t)
	return t, err
}

// Call calls a tool, and reads its result. What the owner refuses is an *Error, and so is that there
// is no owner. A call whose connection broke off is not sent again: it may have been carried out.
func (c *Client) Call(ctx context.Context, tool string, arguments, result any) error {
	text, err := json.Marshal(arguments)
	if err != nil {
		return err
	}
	if len(text) > maxArguments {
		return told(fault.New(fault.TooLarge, "agent-arguments-too-large", "The arguments of a call are longer than {limit} KiB.").With("limit", maxArguments>>10))
	}
	conn, err := c.connected()
	if err != nil {
		return err
	}
	answer, err := conn.ask(ctx, request{Tool: tool, Arguments: text})
	if err != nil {
		return err
	}
	if answer.Error != nil {
		return answer.Error
	}
	return json.Unmarshal(answer.Result, result)
}

func (c *Client) connected() (*connection, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.conn != nil && !c.conn.isOver() {
		return c.conn, nil
	}
	conn, err := c.dial()
	if err != nil {
		return nil, err
	}
	c.conn = conn
	return conn, nil
}

func absent(cause error) error {
	return told(fault.New(fault.NotFound, "agent-no-owner", "Keepsake is not open.").Advise("Open it and unlock it, then ask again.").Because(cause))
}

func (c *Client) dial() (*connection, error) {
	key, err := keyFor(c.keys, c.name)
	if err != nil {
		return nil, told(fault.From(err))
	}
	conn, err := localsocket.Dial(purpose, c.vaultDir)
	if err != nil {
		return nil, absent(err)
	}
	f := newFrames(conn)
	_ = conn.SetDeadline(time.Now().Add(helloTimeout))
	if err := c.greet(f, key); err != nil {
		conn.Close()
		return nil, err
	}
	_ = conn.SetDeadline(time.Time{})
	made := &connection{conn: conn, frames: f, waiting: map[uint64]chan response{}, over: make(chan struct{})}
	go made.listen()
	return made, nil
}

// greet says who asks, and proves it.
func (c *Client) greet(f *frames, key ed25519.PrivateKey) error {
	public, err := formatKey(key.Public().(ed25519.PublicKey))
	if err != nil {
		return err
	}
	if err := f.write(hello{Version: Version, Client: c.name, Key: public}); err != nil {
		return absent(err)
	}
	var ch challenge
	if err := f.read(&ch); err != nil {
		return absent(err)
	}
	if ch.Error != nil {
		return ch.Error
	}
	if err := f.write(proof{ed25519.Sign(key, signed(ch.Nonce, c.name))}); err != nil {
		return absent(err)
	}
	return nil
}

// connection is one connection to an owner.
type connection struct {
	conn   net.Conn
	frames *frames

	mu      sync.Mutex
	last    uint64
	waiting map[uint64]chan response
	cause   error
	over    chan struct{} // closed once the connection has ended
}

func (c *connection) isOver() bool {
	select {
	case <-c.over:
		return true
	default:
		return false
	}
}

func (c *connection) end(cause error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.isOver() {
		c.cause = cause
		close(c.over)
		c.conn.Close()
	}
}

// listen hands answers to whom they are for.
func (c *connection) listen() {
	for {
		var r response
		if err := c.frames.read(&r); err != nil {
			c.end(err)
			return
		}
		c.mu.Lock()
		asked, ok := c.waiting[r.ID]
		delete(c.waiting, r.ID)
		c.mu.Unlock()
		if ok {
			asked <- r
		}
	}
}

// ask sends a request and waits for its answer.
func (c *connection) ask(ctx context.Context, r request) (response, error) {
	answer := make(chan response, 1)
	c.mu.Lock()
	c.last++
	r.ID = c.last
	c.waiting[r.ID] = answer
	err := c.frames.write(r)
	c.mu.Unlock()
	if err != nil {
		c.end(err)
		return response{}, absent(err)
	}
	select {
	case got := <-answer:
		return got, nil
	case <-ctx.Done():
		c.mu.Lock()
		delete(c.waiting, r.ID)
		c.mu.Unlock()
		return response{}, ctx.Err()
	case <-c.over:
		return response{}, told(fault.New(fault.Internal, "agent-owner-left", "Keepsake was closed before it answered; what was asked may have been done.").Advise("Open it, and look before you ask again.").Because(c.cause))
	}
}
