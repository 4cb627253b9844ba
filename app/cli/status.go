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
			return d.answer(viewState(state), func() { d.sayState(state) })
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
}

func viewState(s core.VaultState) stateView {
	v := stateView{VaultState: s}
	if s.Unlocked {
		v.Memories, v.Conversations, v.Messages, v.Relations = &s.Memories, &s.Conversations, &s.Messages, &s.Relations
	}
	return v
}

// hasPassphrase reports whether one was given without asking.
func (d *door) hasPassphrase() bool {
	return d.pass.file != "" || d.pass.fd >= 0 || d.pass.recovery != "" || d.pass.keychain || d.env.Getenv("KEEPSAKE_PASSPHRASE_FILE") != ""
}

func (d *door) sayState(s core.VaultState) {
	d.say("Vault %s in %s", s.VaultID, s.Dir)
	d.say("Format %d, %s bytes on disk, %s, %s", s.Format, grouped(int(s.Size)), s.KDF, count(len(s.Slots), "way to open it", "ways to open it"))
	if s.WeakKDF {
		d.say("Made with --kdf test: its passphrase is easy to guess. Do not keep real memories in it.")
	}
	if s.Frozen {
		d.say("Frozen: it can be read, not changed.")
	}
	if !s.Unlocked {
		d.say("Locked. Give the passphrase to see what is in it.")
		return
	}
	d.say("%s, %s with %s, %s", count(s.Memories, "memory", "memories"), count(s.Conversations, "conversation", "conversations"),
		count(s.Messages, "message", "messages"), count(s.Relations, "relation", "relations"))
}
