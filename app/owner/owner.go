package owner

import (
	"cmp"
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"errors"
	"net"
	"sync"
	"time"

	"keepsake/app/localsocket"
	"keepsake/backend/core"
	"keepsake/backend/fault"
)

// answers are what clients get.
type answers struct {
	call     func(ctx context.Context, c client, r request) response
	commands func(ctx context.Context, conn net.Conn, f *frames, nonce []byte)
}

// Config has the settings of an owner, and the callbacks by which it asks about the computer and reports.
type Config struct {
	Folder     string        // of what agents have here, where the sessions of hooks wait
	SavesPower func() bool   // nil: never
	SettledFor time.Duration // what nothing was written to for so long is taken from watched folders; 0: sessions.Settled
	Run        Runner        // of commands
	// Failed is called with the reason why this process cannot listen: localsocket.ErrTaken while
	// another process does for this vault. It listens once that one has ended.
	Failed    func(error)
	Listening func() // called each time that somebody can
}

// Watch answers agents and commands that ask for the vault of a service, until ctx ends: whether it is
// locked or not, and also once the service turned to another vault. It takes the sessions that wait and
// those of watched folders, and writes the files that are kept.
func Watch(ctx context.Context, service *core.Service, cfg Config) {
	changed := make(chan struct{}, 1)
	taking := &taker{service, cfg.Folder, make(chan struct{}, 1)}
	watching := newFolderTaker(service, cfg)
	keeping := &keeper{service, make(chan struct{}, 1), settleFor}
	unsubscribe := service.Subscribe(func(e core.Event) {
		if e.Name == core.EventVault || e.Name == core.EventAgents {
			wake(taking.look)
			wake(watching.look)
		}
		if e.Name == core.EventVault || e.Name == core.EventLibrary {
			wake(keeping.changed)
		}
		if e.Name == core.EventVault {
			wake(changed)
		}
	})
	defer unsubscribe()
	var others sync.WaitGroup
	defer others.Wait()
	others.Go(func() { taking.run(ctx) })
	others.Go(func() { keeping.run(ctx) })
	others.Go(func() { watching.run(ctx) })
	a := answers{commands: commands{service, cfg.Run}.serve, call: func(ctx context.Context, c client, r request) response {
		answered := c.answer(ctx, service, r)
		if r.Tool == sessionsTool && answered.Error == nil {
			wake(taking.look)
		}
		return answered
	}}
	at, stop := "", func() {}
	defer func() { stop() }()
	for {
		state, err := service.VaultState(ctx)
		if err == nil && state.Dir != at {
			stop()
			at, stop = "", func() {} // a vault that is not there may be made later
			if state.Exists {
				at, stop = state.Dir, listen(ctx, state.Dir, a, cfg)
			}
		}
		if err != nil && ctx.Err() == nil {
			cfg.Failed(err)
		}
		select {
		case <-ctx.Done():
			return
		case <-changed:
		}
	}
}

// wake lets who waits for a channel with room for one look once more.
func wake(look chan<- struct{}) {
	select {
	case look <- struct{}{}:
	default:
	}
}

// listen answers on the socket of a vault until stop is called, which waits for calls under way.
func listen(ctx context.Context, vaultDir string, a answers, cfg Config) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	var all sync.WaitGroup
	all.Go(func() {
		if socket := listener(ctx, vaultDir, cfg.Failed); socket != nil {
			cfg.Listening()
			accept(ctx, socket, a)
		}
	})
	return func() {
		cancel()
		all.Wait()
	}
}

// retryAfter is how long listening waits until it is tried again.
const retryAfter = 2 * time.Second

// listener listens on the socket of a vault. Where it cannot, it tells why, once a reason, and tries
// again until ctx ends; then it returns nil.
func listener(ctx context.Context, vaultDir string, failed func(error)) *localsocket.Listener {
	retry := time.NewTicker(retryAfter)
	defer retry.Stop()
	told := ""
	for {
		socket, err := localsocket.Listen(purpose, vaultDir)
		if err == nil {
			return socket
		}
		if err.Error() != told {
			told = err.Error()
			failed(err)
		}
		select {
		case <-ctx.Done():
			return nil
		case <-retry.C:
		}
	}
}

// accept serves who connects until ctx ends.
func accept(ctx context.Context, socket *localsocket.Listener, a answers) {
	var conns sync.WaitGroup
	defer conns.Wait()
	defer socket.Close()
	defer context.AfterFunc(ctx, socket.Close)()
	room := make(chan struct{}, mostConns)
	for {
		conn, err := socket.Accept()
		if err != nil {
			return
		}
		talk := turnAway
		select {
		case room <- struct{}{}:
			talk = func(conn net.Conn) {
				defer func() { <-room }()
				a.serve(ctx, conn)
			}
		default:
		}
		conns.Go(func() {
			defer conn.Close()
			defer context.AfterFunc(ctx, func() { conn.Close() })()
			talk(conn)
		})
	}
}

// turnAway tells a client that there are too many.
func turnAway(conn net.Conn) {
	f := newFrames(conn)
	_ = conn.SetDeadline(time.Now().Add(helloTimeout))
	if f.read(new(hello)) == nil {
		_ = f.write(challenge{Version: Version, Error: errorOf(fault.New(fault.Busy, "agent-too-many-connections", "{limit} programs ask Keepsake at once, and no more may.").
			With("limit", mostConns).Advise("Close one of them, then ask again."))})
	}
}

// serve answers one client until it leaves, asks nothing for a while, or ctx ends.
func (a answers) serve(ctx context.Context, conn net.Conn) {
	f := newFrames(conn)
	_ = conn.SetDeadline(time.Now().Add(helloTimeout))
	var h hello
	if f.read(&h) != nil {
		return
	}
	if h.Version == Version && h.Command != nil {
		a.commands(ctx, conn, f, h.Command)
		return
	}
	client, err := greet(f, h)
	if err != nil {
		return
	}
	_ = conn.SetDeadline(time.Time{})
	s := &session{conn: conn, frames: f, idle: time.AfterFunc(idleTimeout, func() { conn.Close() })}
	defer s.idle.Stop()
	calls := make(chan struct{}, mostCalls)
	var under sync.WaitGroup
	defer under.Wait()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	for {
		var r request
		if f.read(&r) != nil {
			return // it left, or speaks something else
		}
		select {
		case calls <- struct{}{}:
		case <-ctx.Done():
			return
		}
		s.begin()
		under.Go(func() {
			defer func() { <-calls }()
			s.finish(a.call(ctx, client, r))
		})
	}
}

// session is the connection of a client that proved who it is.
type session struct {
	conn   net.Conn
	frames *frames

	mu   sync.Mutex  // guards what follows, and writing
	busy int         // calls under way
	idle *time.Timer // closes the connection; stopped while calls are under way
}

func (s *session) begin() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.busy++
	s.idle.Stop()
}

func (s *session) finish(answer response) {
	s.mu.Lock()
	defer s.mu.Unlock()
	_ = s.conn.SetWriteDeadline(time.Now().Add(helloTimeout)) // who reads nothing holds nobody up
	if s.frames.write(answer) != nil {
		s.conn.Close()
	}
	if s.busy--; s.busy == 0 {
		s.idle.Reset(idleTimeout)
	}
}

// client is who is at the other end: a name, and a key that it proved to have.
type client struct{ name, key string }

// greet lets an agent prove who it is.
func greet(f *frames, h hello) (client, error) {
	refuse := func(f2 *fault.Error) (client, error) {
		return client{}, errors.Join(f2, f.write(challenge{Version: Version, Error: errorOf(f2)}))
	}
	if h.Version != Version {
		return refuse(fault.New(fault.Unsupported, "agent-protocol", "This Keepsake and the one that the assistant starts are of different versions.").
			Advise("Update the older one."))
	}
	key, err := parseKey(h.Key)
	if err != nil {
		return refuse(fault.New(fault.Invalid, "agent-key", "{name} has no key by which it could be told from another program.").With("name", h.Client))
	}
	nonce := make([]byte, 32)
	_, _ = rand.Read(nonce) // never fails
	if err := f.write(challenge{Version: Version, Nonce: nonce}); err != nil {
		return client{}, err
	}
	var p proof
	if err := f.read(&p); err != nil {
		return client{}, err
	}
	if !ed25519.Verify(key, signed(nonce, h.Client), p.Signature) {
		return client{}, errFrame
	}
	return client{h.Client, h.Key}, nil
}

// answer answers a call.
func (c client) answer(ctx context.Context, service *core.Service, r request) response {
	a, err := service.MeetAgent(ctx, c.name, c.key)
	if fault.CodeOf(err) == fault.Locked && r.Tool != readyTool {
		service.NoteLockedCall(c.name)
	}
	if err != nil {
		return response{ID: r.ID, Error: errorOf(err)}
	}
	result, err := call(ctx, service, a, r)
	if reachedNoTool(err) { // the tools note their own calls
		err = cmp.Or(service.NoteRefusedCall(ctx, a.Name, knownTool(r.Tool), err), err)
	}
	if err != nil {
		return response{ID: r.ID, Error: errorOf(err)}
	}
	if len(result) >= maxFrame-1024 {
		return response{ID: r.ID, Error: errorOf(fault.New(fault.TooLarge, "agent-answer-too-large", "The answer is too long.").Advise("Ask for less."))}
	}
	return response{ID: r.ID, Result: result}
}
