package owner

import (
	"context"
	"os"
	"time"

	"keepsake/app/clients"
	"keepsake/app/sessions"
	"keepsake/backend/core"
)

// sessionsTool tells the owner that a session waits. It is no tool of an assistant: what it answers
// is what the agent may do, and the taking of a session stands in the log.
const sessionsTool = "sessions"

// Sessions tells the owner that a session of the agent waits to be taken, and asks what the agent may.
func (c *Client) Sessions(ctx context.Context) (r Ready, err error) {
	err = c.Call(ctx, sessionsTool, struct{}{}, &r)
	return r, err
}

// lookAgain is how soon sessions that could not be taken are tried again.
const lookAgain = time.Minute

// taker takes sessions that wait into the vault of a service.
type taker struct {
	service *core.Service
	folder  string // of what waits
	look    chan struct{}
}

// run takes sessions until ctx ends: when it is woken, and those that were left after a while.
func (t *taker) run(ctx context.Context) {
	for {
		again := make(<-chan time.Time)
		if t.takeAll(ctx) {
			again = time.After(lookAgain)
		}
		select {
		case <-ctx.Done():
			return
		case <-t.look:
		case <-again:
		}
	}
}

// takeAll takes what waits, and reports whether something is left that needs no event to be taken.
func (t *taker) takeAll(ctx context.Context) (left bool) {
	state, err := t.service.VaultState(ctx)
	if err != nil || !state.Exists || !state.Unlocked {
		return false // an unlock wakes it
	}
	waiting := sessions.NewWaiting(t.folder, state.Dir)
	all, err := waiting.All()
	if err != nil {
		return false
	}
	for _, s := range all {
		if ctx.Err() != nil {
			return false
		}
		a, known := sessions.Named(s.Client)
		switch {
		case !known:
			waiting.Remove(s)
		case time.Since(s.At) < a.Quiet:
			left = true
		default:
			left = !t.take(ctx, waiting, a, s) || left
		}
	}
	return left
}

// take takes one session, and reports whether it waits no longer.
func (t *taker) take(ctx context.Context, waiting sessions.Waiting, a sessions.Assistant, s sessions.Session) (done bool) {
	s, err := waiting.Take(s)
	if err != nil {
		return true // gone
	}
	done, err = t.read(ctx, a, s.Path)
	if done || waiting.Return(s) != nil {
		waiting.Remove(s)
		return true
	}
	return err != nil
}

func (t *taker) read(ctx context.Context, a sessions.Assistant, path string) (done bool, err error) {
	places, err := clients.Here(os.Getenv)
	if err != nil {
		return false, err
	}
	f, err := a.Open(places, path)
	if err != nil {
		return true, t.service.NoteRefusedCall(ctx, a.ID, core.AgentSessionTool, err)
	}
	defer f.Close()
	return t.service.AgentSession(ctx, a.ID, a.ID, f.Name, f.Content())
}
