package cli

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"keepsake/backend/core"
	"keepsake/backend/fault"
)

// newSecret is where a new passphrase is read from.
type newSecret struct {
	file    string
	suggest bool
}

func (n *newSecret) register(cmd *cobra.Command) {
	cmd.Flags().StringVar(&n.file, "new-passphrase-file", "", `file whose first line is the new passphrase; "-" is standard input`)
	cmd.Flags().BoolVar(&n.suggest, "suggest", false, "make the new passphrase of six random words and print it")
	cmd.MarkFlagsMutuallyExclusive("new-passphrase-file", "suggest")
}

// read takes the new passphrase, made is what is to be shown of it.
func (n *newSecret) read(d *door, svc *core.Service) (pass []byte, made string, err error) {
	if n.suggest {
		made = svc.SuggestPassphrase()
		return []byte(made), made, nil
	}
	if n.file != "" {
		pass, err = d.lineOf(n.file)
	} else {
		pass, err = d.askTerminal("New passphrase: ", true)
	}
	if err == nil && svc.EasyToGuess(pass) {
		d.note("This passphrase is among the first that would be guessed. A few unrelated words are better; --suggest makes six.")
	}
	return pass, "", err
}

// changed is what commands about the ways into the vault answer.
type changed struct {
	Slots      []core.Slot `json:"slots"`
	Passphrase string      `json:"passphrase,omitempty"` // where it was suggested

	Asides []core.Aside `json:"asides,omitempty"` // copies put aside, with the ways of before
}

func (d *door) sayChanged(ctx context.Context, svc *core.Service, made, said string, left []core.Aside) error {
	state, err := svc.VaultState(ctx)
	return d.answerUnless(err, changed{state.Slots, made, left}, func() {
		d.sayIf(made != "", "The new passphrase is:\n\n    %s\n", made)
		d.say("%s", said)
	})
}

func (d *door) passphraseCommand() *cobra.Command {
	var next newSecret
	var copies withCopies
	cmd := &cobra.Command{
		Use:   "passphrase",
		Short: "Change the passphrase; the old one opens the vault no more",
		Args:  exactly(0),
		RunE: d.onProvedVault(func(ctx context.Context, svc *core.Service, old []byte) error {
			pass, made, err := next.read(d, svc)
			if err != nil {
				return err
			}
			defer clear(pass)
			if err := svc.ChangePassphrase(ctx, old, pass); err != nil {
				return err
			}
			return copies.settle(ctx, d, svc, core.Secret{Passphrase: pass}, asidesOpen, func(left []core.Aside) error {
				return d.sayChanged(ctx, svc, made, "The passphrase is changed. Copies of the vault made before still open with the old one.", left)
			})
		}),
	}
	next.register(cmd)
	copies.register(cmd)
	return cmd
}

// onProvedVault is onVault for what asks for the passphrase once more: it opens the
// vault with that and keeps it meanwhile.
func (d *door) onProvedVault(do func(ctx context.Context, svc *core.Service, pass []byte) error) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, _ []string) error {
		svc, _, err := d.existing(cmd.Context())
		if err != nil {
			return err
		}
		pass, err := d.passphrase("Passphrase: ", false)
		if err != nil {
			return err
		}
		defer clear(pass)
		if err := svc.Unlock(cmd.Context(), pass); err != nil {
			return d.diagnosed(cmd.Context(), err)
		}
		return do(cmd.Context(), svc, pass)
	}
}

func (d *door) recovery() *cobra.Command {
	return parent("recovery", "Make a new recovery key, or open the vault with it and choose a new passphrase", d.recoveryNew(), d.recoveryUse())
}

// recoveryKey is what a new recovery key is answered as, once.
type recoveryKey struct {
	RecoveryKey string `json:"recovery_key"`
	Passphrase  string `json:"passphrase,omitempty"` // where it was suggested

	Asides []core.Aside `json:"asides,omitempty"` // copies put aside, with the secrets of before
}

func (d *door) recoveryNew() *cobra.Command {
	var copies withCopies
	cmd := &cobra.Command{
		Use:   "new",
		Short: "Replace the recovery key and print the new one, once",
		Args:  exactly(0),
		RunE: d.onProvedVault(func(ctx context.Context, svc *core.Service, pass []byte) error {
			offer, err := svc.BeginRecovery(ctx, pass)
			if err != nil {
				return err
			}
			err = d.typedBack(offer, func(typed []string) error { return svc.ConfirmRecovery(ctx, typed) })
			if err != nil {
				return err
			}
			return copies.settle(ctx, d, svc, core.Secret{Passphrase: pass}, asidesOpen, func(left []core.Aside) error {
				return d.answer(recoveryKey{RecoveryKey: offer.RecoveryKey, Asides: left}, func() {
					if !d.hasTerminal() {
						d.sayRecovery(offer)
					}
					d.say("It is in use; the old one opens the vault no more.")
				})
			})
		}),
	}
	copies.register(cmd)
	return cmd
}

func (d *door) sayRecovery(offer core.RecoveryOffer) {
	d.say("Write this recovery key down; it is shown once and opens the vault if the passphrase is lost:\n\n    %s\n", offer.RecoveryKey)
}

// typingTries is how often the groups of a recovery key may be mistyped.
const typingTries = 3

// typedBack shows the key, asks a person at a terminal for two of its groups
// and goes on with them; the same key stays while they are mistyped. A script
// is taken at its word.
func (d *door) typedBack(offer core.RecoveryOffer, use func(typed []string) error) error {
	groups := strings.Split(offer.RecoveryKey, "-")
	if !d.hasTerminal() || d.json {
		typed := make([]string, 0, len(offer.Ask))
		for _, at := range offer.Ask {
			typed = append(typed, groups[at])
		}
		return use(typed)
	}
	d.sayRecovery(offer)
	lines := bufio.NewReader(io.LimitReader(d.env.Stdin, maxPassphrase))
	for tries := 1; ; tries++ {
		typed, err := d.typeGroups(lines, offer.Ask)
		if err != nil {
			return err
		}
		err = use(typed)
		if tries == typingTries || fault.From(err).Reason != "recovery-groups-differ" {
			return err
		}
		d.note("%s %s", fault.From(err).Message(), fault.From(err).Advice())
	}
}

func (d *door) typeGroups(lines *bufio.Reader, ask []int) ([]string, error) {
	typed := make([]string, 0, len(ask))
	for _, at := range ask {
		d.prompt("Type group %d back: ", at+1)
		line, err := lines.ReadString('\n')
		if err != nil {
			return nil, fault.New(fault.Cancelled, "recovery-not-typed", "The groups of the new recovery key were not typed back; the old key is still the one in use.").Because(err)
		}
		typed = append(typed, strings.TrimSpace(line))
	}
	return typed, nil
}

func (d *door) recoveryUse() *cobra.Command {
	var next newSecret
	var copies withCopies
	cmd := &cobra.Command{
		Use:   "use",
		Short: "Open the vault with its recovery key and choose a new passphrase",
		Args:  exactly(0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			svc, _, err := d.existing(cmd.Context())
			if err != nil {
				return err
			}
			code, err := d.recoveryCode()
			if err != nil {
				return err
			}
			defer clear(code)
			if err := d.unlockWith(cmd.Context(), svc, core.Secret{Recovery: string(code)}); err != nil {
				return err
			}
			pass, made, err := next.read(d, svc)
			if err != nil {
				return err
			}
			defer clear(pass)
			if err := svc.UseRecovery(cmd.Context(), string(code), pass); err != nil {
				return err
			}
			return copies.settle(cmd.Context(), d, svc, core.Secret{Passphrase: pass}, asidesOpen, func(left []core.Aside) error {
				return d.sayChanged(cmd.Context(), svc, made, "The vault has a new passphrase. The recovery key stays what it was.", left)
			})
		},
	}
	next.register(cmd)
	copies.register(cmd)
	return cmd
}

func (d *door) recoveryCode() ([]byte, error) {
	switch flag := d.pass.given(); flag {
	case "recovery-file":
		return d.lineOf(d.pass.recovery)
	case "":
		return d.askTerminal("Recovery key: ", false)
	default:
		return nil, usageError{fmt.Errorf("the recovery key is needed here, and --%s does not give it", flag)}
	}
}

// rotated is what a rotation is answered as.
type rotated struct {
	core.Rotation
	Asides []core.Aside `json:"asides,omitempty"` // copies put aside, with the keys of before
}

func (d *door) rotate() *cobra.Command {
	var copies withCopies
	cmd := &cobra.Command{
		Use:   "rotate",
		Short: "Begin a new data key and bring everything over to it; stopped, it goes on later",
		Args:  exactly(0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			svc, secret, err := copies.unlocked(cmd.Context(), d)
			if err != nil {
				return err
			}
			defer clear(secret.Passphrase)
			r, err := svc.Rotate(cmd.Context(), func(r core.Rotation) { d.tellKeys(r.Done, r.Total) })
			if err != nil {
				return err
			}
			return copies.settle(cmd.Context(), d, svc, secret, asidesOldKeys, func(left []core.Aside) error {
				return d.answer(rotated{r, left}, func() {
					d.say("%s sealed under data key %d; the older keys are deleted.", count(r.Total, "value is", "values are"), r.KeyVersion)
				})
			})
		},
	}
	copies.register(cmd)
	return cmd
}

// tellKeys says how far a rotation or re-key is, in the form asked for.
func (d *door) tellKeys(done, total int) {
	if d.progress == "json" {
		d.tellJSON(struct {
			Phase string `json:"phase"`
			Done  int    `json:"done"`
			Total int    `json:"total"`
		}{"keys", done, total})
	}
}

func (d *door) rekey() *cobra.Command {
	var next newSecret
	var copies withCopies
	cmd := &cobra.Command{
		Use:   "rekey",
		Short: "Give the vault new keys throughout, after its passphrase or keys leaked",
		Long: "Makes a new master key, a new passphrase slot and a new recovery key, and seals everything again in a new file\n" +
			"that takes the place of the old one. Old snapshots go; backups and copies made before still open with the old secrets.",
		Args: exactly(0),
		RunE: d.onProvedVault(func(ctx context.Context, svc *core.Service, old []byte) error {
			return d.rekeyTo(ctx, svc, old, &next, &copies)
		}),
	}
	next.register(cmd)
	copies.register(cmd)
	return cmd
}

// rekeyTo asks for the new passphrase and shows the new recovery key only where
// nothing is known to stand in the way.
func (d *door) rekeyTo(ctx context.Context, svc *core.Service, old []byte, next *newSecret, copies *withCopies) error {
	var pass []byte
	var made string
	defer func() { clear(pass) }()
	offer, err := svc.BeginRekey(ctx, old, func() (chosen []byte, err error) {
		pass, made, err = next.read(d, svc)
		return pass, err
	})
	if err != nil {
		return err
	}
	err = d.typedBack(offer, func(typed []string) error { return svc.Rekey(ctx, old, pass, typed, d.tellKeys) })
	if err != nil {
		return err
	}
	return copies.settle(ctx, d, svc, core.Secret{Passphrase: pass}, asidesOpen, func(left []core.Aside) error {
		return d.answer(recoveryKey{offer.RecoveryKey, made, left}, func() {
			if !d.hasTerminal() {
				d.sayRecovery(offer)
			}
			d.sayIf(made != "", "The new passphrase is:\n\n    %s\n", made)
			d.say("The vault has new keys. Delete copies and backups made before: the old secrets still open those.")
		})
	})
}

func (d *door) keychain() *cobra.Command {
	return parent("keychain", "Let this computer's keychain open the vault, or stop that",
		d.keychainChange("allow", "Let this computer's keychain open the vault (then: --keychain)", "This account's keychain opens the vault now, without the passphrase.",
			func(ctx context.Context, svc *core.Service, pass []byte) error { return svc.AllowKeychain(ctx, pass) }),
		d.keychainChange("remove", "Stop the keychain from opening the vault", "The keychain opens the vault no more.",
			func(ctx context.Context, svc *core.Service, _ []byte) error { return svc.RemoveKeychain(ctx) }))
}

func (d *door) keychainChange(use, short, said string, change func(context.Context, *core.Service, []byte) error) *cobra.Command {
	return &cobra.Command{
		Use: use, Short: short, Args: exactly(0),
		RunE: d.onProvedVault(func(ctx context.Context, svc *core.Service, pass []byte) error {
			if err := change(ctx, svc, pass); err != nil {
				return err
			}
			return d.sayChanged(ctx, svc, "", said, nil)
		}),
	}
}
