package cli

import (
	"github.com/spf13/cobra"

	"keepsake/backend/core"
)

func (d *door) status() *cobra.Command {
	return &cobra.Command{
		Use:   "status",
		Short: "Say what the vault is; with a passphrase also what is in it",
		Args:  exactly(0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			d.tellsKDF = !d.json
			open := d.service
			if d.hasPassphrase() {
				open = func() (*core.Service, error) { return d.unlocked(cmd.Context()) }
			}
			svc, err := open()
			if err != nil {
				return err
			}
			state, err := svc.VaultState(cmd.Context())
			if err != nil {
				return err
			}
			if !state.Exists {
				return core.NoVault(state.Dir)
			}
			view := viewState(state)
			if state.Unlocked {
				copies, err := svc.Copies(cmd.Context())
				if err != nil {
					return err
				}
				view.Copies = &copies
			}
			if view.Asides, err = svc.Asides(cmd.Context()); err != nil {
				return err
			}
			return d.answer(view, func() {
				d.sayState(view)
				d.sayAsides(view.Asides)
			})
		},
	}
}

// stateView leaves out the counts that a locked vault does not tell.
type stateView struct {
	core.VaultState
	Memories      *int `json:"memories,omitempty"`
	Conversations *int `json:"conversations,omitempty"`
	Messages      *int `json:"messages,omitempty"`
	Relations     *int `json:"relations,omitempty"`

	Copies *core.Copies `json:"copies,omitempty"` // the vault's own
	Asides []core.Aside `json:"asides,omitempty"` // what restores put beside it
}

func viewState(s core.VaultState) stateView {
	v := stateView{VaultState: s}
	if s.Unlocked {
		v.Memories, v.Conversations, v.Messages, v.Relations = &s.Memories, &s.Conversations, &s.Messages, &s.Relations
	}
	return v
}

// hasPassphrase reports whether one was given without asking; in the owner it was.
func (d *door) hasPassphrase() bool {
	return d.env.Opened != nil || d.pass.file != "" || d.pass.fd >= 0 || d.pass.recovery != "" || d.pass.keychain || d.env.Getenv("KEEPSAKE_PASSPHRASE_FILE") != ""
}

func (d *door) sayState(v stateView) {
	s := v.VaultState
	d.say("Vault %s in %s", s.VaultID, s.Dir)
	d.say("Format %d, %s bytes on disk, %s, %s", s.Format, grouped(int(s.Size)), s.KDF, count(len(s.Slots), "way to open it", "ways to open it"))
	d.sayIf(s.WeakKDF, "Made with --kdf test: its passphrase is easy to guess. Do not keep real memories in it.")
	if s.Warning == core.WarnOlder {
		d.say("Older than when it was last locked on this computer: later changes are missing. If you did not bring back a copy yourself, ask who did.")
	}
	d.sayIf(s.Frozen, "Frozen: it can be read, not changed.")
	if s.LastBackup.IsZero() {
		d.say("No backup was made yet.")
	} else {
		d.say("Last backup: %s", s.LastBackup)
	}
	if !s.Unlocked {
		d.say("Locked. Give the passphrase to see what is in it.")
		return
	}
	d.say("%s, %s with %s, %s", count(s.Memories, "memory", "memories"), count(s.Conversations, "conversation", "conversations"),
		count(s.Messages, "message", "messages"), count(s.Relations, "relation", "relations"))
	d.say("It keeps %s of itself, the newest of %s.", count(v.Copies.Count, "copy", "copies"), v.Copies.Newest)
	if v.Copies.Problem != nil {
		d.say("%s", v.Copies.Problem.Message())
	}
}
