package bridge

import (
	"context"
	"sync"

	"keepsake/backend/core"
)

// Bridge holds the structs a page may call.
type Bridge struct {
	Vault         *Vault
	Imports       *Imports
	Library       *Library
	Conversations *Conversations
	Search        *Search
	Exports       *Exports
	Handoffs      *Handoffs
	Settings      *Settings
	Keys          *Keys
	Care          *Care
	Inbox         *Inbox
	Todos         *Todos
	Signers       *Signers
	Clients       *Clients
	Portrait      *Portrait

	kit    *kit
	cancel func()
}

// kit is what all structs share. It is a field, never embedded: a shell binds
// every exported method it finds.
type kit struct {
	ctx    context.Context
	core   *core.Service
	host   Host
	shelf  shelf
	jobs   jobs
	copied copied

	mu        sync.Mutex
	listening bool     // the page has asked for what was opened before it listened
	showing   bool     // the page may hold something of a vault that was open
	parting   bool     // the page still has to say what became of a destroyed vault
	lockedOut []string // agents that asked since the vault was locked
}

// New joins the service and the shell. Nothing is opened or read. Calls end
// when ctx does.
func New(ctx context.Context, service *core.Service, host Host) *Bridge {
	k := &kit{ctx: ctx, core: service, host: host}
	b := &Bridge{
		Vault:         &Vault{k},
		Imports:       &Imports{k},
		Library:       &Library{k},
		Conversations: &Conversations{k: k},
		Search:        &Search{k: k},
		Exports:       &Exports{k},
		Handoffs:      &Handoffs{k},
		Settings:      &Settings{k},
		Keys:          &Keys{k: k},
		Care:          &Care{k: k},
		Todos:         &Todos{k},
		Inbox:         &Inbox{k},
		Signers:       &Signers{k},
		Clients:       &Clients{k: k},
		Portrait:      &Portrait{k},
		kit:           k,
	}
	b.cancel = service.Subscribe(k.event)
	return b
}

// Bound lists the structs in the order in which shells bind them.
func (b *Bridge) Bound() []any {
	return []any{b.Vault, b.Imports, b.Library, b.Conversations, b.Search, b.Exports, b.Handoffs, b.Settings, b.Keys, b.Care, b.Inbox, b.Todos, b.Signers, b.Clients, b.Portrait}
}

// Close stops sending events. The service stays as it is.
func (b *Bridge) Close() {
	b.kit.copied.stop()
	b.cancel()
}

// Offer hands paths from the command line, a second start or a drop to the
// page: as an event where it listens already, with Opened otherwise.
func (b *Bridge) Offer(paths []string) {
	b.kit.mu.Lock()
	listening := b.kit.listening
	b.kit.mu.Unlock()
	offers := b.kit.shelf.paths(paths, !listening)
	if listening && len(offers) > 0 {
		b.kit.host.Emit(EventOffers, OffersView{Offers: offers})
	}
}

// Upload registers something a browser sent, already taken in by the service.
func (b *Bridge) Upload(id, name string, size int64) Offer {
	return b.kit.shelf.put(core.Input{Upload: id}, name, size, false)
}
