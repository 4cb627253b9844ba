package cli

import (
	"bufio"
	"context"
	"errors"
	"io/fs"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"keepsake/backend/core"
	"keepsake/backend/fault"
	"keepsake/backend/memory"
	"keepsake/backend/product"
)

func (d *door) keys() *cobra.Command {
	return parent("keys", "Signing keys: your own, and those of people you know",
		d.keysList(), d.keysShow(), d.keysTrust(), d.keysFollow(), d.keysRename(), d.keysRemove(),
		d.keysExport(), d.keysRotate(), d.keysRevoke())
}

func (d *door) keysList() *cobra.Command {
	return &cobra.Command{
		Use:   "list",
		Short: "List every signing key that the vault knows",
		Args:  exactly(0),
		RunE: d.onVault(func(ctx context.Context, svc *core.Service, _ []string) error {
			ring, err := svc.Keyring(ctx)
			return d.answerUnless(err, ring, func() {
				for _, key := range append(ring.Own, ring.Known...) {
					d.sayKey(key)
				}
			})
		}),
	}
}

// sayKey prints a key in a line or two.
func (d *door) sayKey(k core.KeptKey) {
	holder, since := "You", "made "+k.Since.Format(time.DateOnly)
	if k.Name != "" {
		holder, since = oneLine(k.Name, 80), "known since "+k.Since.Format(time.DateOnly)
	}
	state := oneOrOther(k.InUse, ", in use", "")
	if !k.RetiredAt.IsZero() {
		state = ", retired " + k.RetiredAt.Format(time.DateOnly)
	}
	if !k.RevokedAt.IsZero() {
		state += ", revoked since " + k.RevokedAt.Format(time.DateOnly)
	}
	if k.Where != "" {
		since += " from " + oneLine(k.Where, 80)
	}
	d.say("%s (%s%s)", holder, since, state)
	d.sayKeyInfo(k.KeyInfo)
}

func (d *door) sayKeyInfo(k core.KeyInfo) {
	d.say("  %s (%s)\n  %s (%s)", k.DID, k.Kind, k.Fingerprint, strings.Join(k.Words, " "))
}

// keySource takes an argument as a file where there is one, and as the text of a
// key otherwise.
func (d *door) keySource(arg string, file *fileIn) (core.KeySource, error) {
	if _, err := os.Stat(arg); errors.Is(err, fs.ErrNotExist) {
		return core.KeySource{Text: arg}, nil
	}
	in, err := file.input(d, arg)
	return core.KeySource{Input: in}, err
}

// onKey is a command about one key that lies in a file, or is written out.
func (d *door) onKey(use, short string, act func(*cobra.Command, *core.Service, core.KeySource) error) *cobra.Command {
	var file fileIn
	cmd := &cobra.Command{
		Use:   use,
		Short: short,
		Args:  exactly(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			from, err := d.keySource(args[0], &file)
			if err != nil {
				return err
			}
			defer clear(from.Input.Passphrase)
			svc, err := d.unlocked(cmd.Context())
			if err != nil {
				return err
			}
			return act(cmd, svc, from)
		},
	}
	file.register(cmd.Flags())
	return cmd
}

func (d *door) keysShow() *cobra.Command {
	return d.onKey("show FILE|KEY", "Look at the key in a file before it gets a name", func(cmd *cobra.Command, svc *core.Service, from core.KeySource) error {
		read, err := svc.ReadKey(cmd.Context(), from)
		return d.answerUnless(err, read, func() {
			switch {
			case read.Own:
				d.say("A key of your own.")
			case read.Name != "":
				d.say("Known as %s.", oneLine(read.Name, 80))
			default:
				d.say("A key that is not known. Compare the words with whoever holds it, then use keepsake keys trust.")
			}
			d.sayKeyInfo(read.KeyInfo)
			d.sayNews(read.News)
		})
	})
}

func (d *door) sayNews(all []core.KeyNews) {
	for _, n := range all {
		done := oneOrOther(n.Fresh, "", " This is followed already.")
		name := oneLine(n.Name, 80)
		if n.Next == nil {
			d.say("%s revoked the key %s: what it signed since %s does not count.%s", name, n.Key.Fingerprint, n.Since.Format(time.DateOnly), done)
			continue
		}
		d.say("%s has a new key since %s, and the old one signed that. From %s to %s (%s).%s", name, n.At.Format(time.DateOnly),
			n.Key.Fingerprint, n.Next.Fingerprint, strings.Join(n.Next.Words, " "), done)
	}
}

func (d *door) keysTrust() *cobra.Command {
	var name string
	cmd := d.onKey("trust FILE|KEY --name NAME", "Give somebody else's key a name", func(cmd *cobra.Command, svc *core.Service, from core.KeySource) error {
		kept, err := svc.TrustKey(cmd.Context(), from, name)
		return d.answerUnless(err, kept, func() {
			d.say("What this key signs is now from %s. Compare the words with them:", oneLine(kept.Name, 80))
			d.sayKeyInfo(kept.KeyInfo)
		})
	})
	cmd.Flags().StringVar(&name, "name", "", "who holds the key, as you call them")
	_ = cmd.MarkFlagRequired("name")
	return cmd
}

func (d *door) keysFollow() *cobra.Command {
	yes := false
	cmd := d.onKey("follow FILE", "Take over what somebody you know says about their keys", func(cmd *cobra.Command, svc *core.Service, from core.KeySource) error {
		read, err := svc.ReadKey(cmd.Context(), from)
		if err != nil {
			return err
		}
		fresh := 0
		for _, n := range read.News {
			if n.Fresh {
				fresh++
			}
		}
		if fresh > 0 && !yes {
			d.sayNewsAside(read.News)
			if err := d.confirmed("follow"); err != nil {
				return err
			}
		}
		news, err := svc.FollowKey(cmd.Context(), from)
		return d.answerUnless(err, map[string]any{"news": news}, func() {
			d.sayNews(news)
			d.sayIf(fresh == 0, "Nothing in it is new about a key that you know.")
		})
	})
	cmd.Flags().BoolVar(&yes, "yes", false, "do it without asking")
	return cmd
}

// sayNewsAside prints news that are not yet the answer.
func (d *door) sayNewsAside(all []core.KeyNews) {
	aside := &door{env: d.env}
	aside.env.Stdout = d.env.Stderr
	aside.sayNews(all)
}

// confirmed asks for a word at the terminal.
func (d *door) confirmed(word string) error {
	refused := fault.New(fault.Refused, "keys-not-confirmed", "Nothing was changed, because it was not confirmed.").Advise("Add --yes to do it.")
	if !d.hasTerminal() {
		return refused
	}
	d.prompt("Type %s to do it: ", word)
	line, _ := bufio.NewReader(d.env.Stdin).ReadString('\n')
	if strings.TrimSpace(line) != word {
		return refused
	}
	return nil
}

func (d *door) keysRename() *cobra.Command {
	return &cobra.Command{
		Use:   "rename KEY NAME",
		Short: "Give somebody else's key another name",
		Args:  exactly(2),
		RunE: d.onVault(func(ctx context.Context, svc *core.Service, args []string) error {
			kept, err := svc.RenameKey(ctx, args[0], args[1])
			return d.answerUnless(err, kept, func() { d.sayKey(kept) })
		}),
	}
}

func (d *door) keysRemove() *cobra.Command {
	return &cobra.Command{
		Use:   "remove KEY",
		Short: "Know a key of somebody else no more",
		Args:  exactly(1),
		RunE: d.onVault(func(ctx context.Context, svc *core.Service, args []string) error {
			err := svc.RemoveKey(ctx, args[0])
			return d.answerUnless(err, map[string]string{"removed": args[0]}, func() { d.say("Removed. What it signs is from a key not seen before.") })
		}),
	}
}

func (d *door) keysExport() *cobra.Command {
	var out string
	cmd := &cobra.Command{
		Use:   "export [-o FILE]",
		Short: "Give out your public key, with what your keys said about themselves",
		Args:  exactly(0),
		RunE: d.onVault(func(ctx context.Context, svc *core.Service, _ []string) error {
			if out != "" {
				dest, err := d.destination(out, product.Program+"-key.json")
				if err != nil {
					return err
				}
				key, err := svc.ExportKey(ctx, dest)
				return d.answerUnless(err, key, func() {
					d.say("Wrote %s. There is no secret in it: hand it to others.", d.written(out))
					d.sayKeyInfo(key)
				})
			}
			ring, err := svc.Keyring(ctx)
			if err != nil {
				return err
			}
			key := ring.Own[0].KeyInfo
			return d.answer(key, func() {
				d.say("%s\n%s\n%s (%s)", key.DID, key.PublicKey, key.Fingerprint, strings.Join(key.Words, " "))
			})
		}),
	}
	cmd.Flags().StringVarP(&out, "out", "o", "", "file to write; "+toStdout)
	return cmd
}

// noRegistry is said whenever a key is replaced or revoked.
const noRegistry = "Nobody else is told: a did:key has no place where this could be looked up. Hand out keepsake keys export -o FILE."

func (d *door) keysRotate() *cobra.Command {
	return &cobra.Command{
		Use:   "rotate",
		Short: "Sign with a new key from now on; the old one vouches for it",
		Args:  exactly(0),
		RunE: d.onVault(func(ctx context.Context, svc *core.Service, _ []string) error {
			kept, err := svc.RotateSigningKey(ctx)
			return d.answerUnless(err, kept, func() {
				d.say("Exports are signed with a new key. What the old one signed stays signed by you.")
				d.sayKeyInfo(kept.KeyInfo)
				d.say("%s", noRegistry)
			})
		}),
	}
}

func (d *door) keysRevoke() *cobra.Command {
	var since string
	yes := false
	cmd := &cobra.Command{
		Use:   "revoke [KEY]",
		Short: "Say that what a key of yours signs does not count any more",
		Long:  "Say in a signed note that what a key of yours signed from a date on does not count; without KEY it is the one in use,\nwhich is replaced by a new one. What counts is the date of the export, which is signed. It cannot be taken back. The note works only for those who are handed it, and the date\nof a signature is what the signer wrote: who has stolen a key can write an earlier one.",
		Args:  atMost(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			from, err := parseDay("since", since)
			if err != nil {
				return err
			}
			if !yes {
				if err := d.confirmed("revoke"); err != nil {
					return err
				}
			}
			svc, err := d.unlocked(cmd.Context())
			if err != nil {
				return err
			}
			kept, err := svc.RevokeSigningKey(cmd.Context(), strings.Join(args, ""), memory.At(from)) // one key, or none
			return d.answerUnless(err, kept, func() {
				d.say("The key is revoked.")
				d.sayKey(kept)
				d.say("%s", noRegistry)
			})
		},
	}
	cmd.Flags().StringVar(&since, "since", "", "date or time from which on it does not count (default: now)")
	cmd.Flags().BoolVar(&yes, "yes", false, "do it without asking")
	return cmd
}
