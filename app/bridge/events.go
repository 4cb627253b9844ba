package bridge

import (
	"context"
	"slices"

	"keepsake/backend/core"
)

// VaultEventView is the payload of the event "vault".
type VaultEventView struct {
	Unlocked bool `json:"unlocked"`
}

// LockingView is the payload of the event "locking": why the vault should be
// locked and waits for a running import, "" when it waits no more.
type LockingView struct {
	Reason string `json:"reason"` // "", "idle", "session"
}

// LibraryEventView is the payload of the event "library": what was shown may
// be stale, ask again.
type LibraryEventView struct{}

// MenuView is the payload of the event "menu": a command of the page's palette
// that was chosen in the menu bar.
type MenuView struct {
	Command string `json:"command"`
}

// event passes on what the service says. It must not block, and must not call
// the service while that calls it; the state of the vault is asked for apart.
func (k *kit) event(e core.Event) {
	switch e.Name {
	case core.EventProgress:
		if p, ok := e.Payload.(core.Progress); ok {
			view := k.jobs.note(p.Job, func(v *ProgressView) { progress(p, v) })
			k.host.Emit(EventProgress, view)
		}
	case core.EventImportDone:
		if done, ok := e.Payload.(core.ImportDone); ok {
			k.importDone(done)
		}
	case core.EventVault:
		go k.vaultChanged()
	case core.EventLocking:
		if l, ok := e.Payload.(core.Locking); ok {
			k.host.Emit(EventLocking, LockingView{string(l.Reason)})
		}
	case core.EventLibrary:
		k.host.Emit(EventLibrary, LibraryEventView{})
	case core.EventKeys:
		if r, ok := e.Payload.(core.Rotation); ok {
			k.host.Emit(EventKeys, rotationView(r))
		}
	case core.EventAgents:
		k.host.Emit(EventAgents, AgentsEventView{})
	case core.EventLockedOut:
		if name, ok := e.Payload.(string); ok {
			k.askedLocked(name)
		}
	case core.EventSearch:
		k.host.Emit(EventSearch, SearchEventView{})
	}
}

// mostLockedOut is how many agents are named that asked while the vault was locked.
const mostLockedOut = 20

// askedLocked keeps the name of an agent that asked while the vault was locked. The first brings the
// window forward, and no other until the vault was unlocked: who asks often is not to take the
// screen from the person.
func (k *kit) askedLocked(name string) {
	k.mu.Lock()
	first := len(k.lockedOut) == 0
	if !slices.Contains(k.lockedOut, name) && len(k.lockedOut) < mostLockedOut {
		k.lockedOut = append(k.lockedOut, name)
	}
	k.mu.Unlock()
	if first {
		k.host.Raise()
	}
	k.host.Emit(EventAgents, AgentsEventView{})
}

func (k *kit) importDone(done core.ImportDone) {
	problem := faultViewOrNil(done.Fault)
	k.jobs.note(done.Job, func(v *ProgressView) {
		v.Phase, v.ImportID, v.Problem = string(core.PhaseFinished), done.ImportID, problem
	})
	k.host.Emit(EventImportDone, ImportDoneView{Job: done.Job, ImportID: done.ImportID, Problem: problem})
}

func (k *kit) vaultChanged() {
	view, err := call(k, func(ctx context.Context) (VaultEventView, error) {
		state, err := k.core.VaultState(ctx)
		return VaultEventView{Unlocked: state.Unlocked}, err
	})
	if err != nil {
		return
	}
	if view.Unlocked {
		k.mu.Lock()
		k.lockedOut = nil
		k.mu.Unlock()
	} else {
		k.shelf.forgetSecrets()
		k.takeBack()
	}
	k.host.Emit(EventVault, view)
	if k.done(view.Unlocked) {
		k.host.Locked()
	}
}

// done reports whether the page shows what it may no longer hold. A vault that
// was not open leaves nothing in it, whatever is done to its files.
func (k *kit) done(unlocked bool) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	thrown := k.showing && !unlocked && !k.parting
	k.showing = unlocked || k.showing && !thrown
	return thrown
}

// part lets the page of a vault stay although that is locked, or no longer.
func (k *kit) part(on bool) {
	k.mu.Lock()
	k.parting = on
	k.mu.Unlock()
	if !on {
		k.vaultChanged()
	}
}
