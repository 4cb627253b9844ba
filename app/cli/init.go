package cli

import (
	"context"

	"github.com/spf13/cobra"

	"keepsake/backend/core"
)

func (d *door) initCommand() *cobra.Command {
	var kdf string
	cmd := &cobra.Command{
		Use:   "init",
		Short: "Create a vault and print its recovery key, once",
		Args:  exactly(0),
		RunE: d.onService(func(ctx context.Context, svc *core.Service, _ []string) error {
			if err := svc.MayCreate(ctx, kdf); err != nil {
				return err
			}
			pass, err := d.passphrase("New passphrase: ", true)
			if err != nil {
				return err
			}
			defer clear(pass)
			if svc.EasyToGuess(pass) {
				d.note("This passphrase is among the first that would be guessed. A few unrelated words are better.")
			}
			made, err := svc.CreateVault(ctx, pass, kdf)
			if err != nil {
				return err
			}
			if kdf == "test" {
				d.note("--kdf test makes a vault whose passphrase is easy to guess. Do not keep real memories in it.")
			}
			return d.answer(made, func() {
				d.say("The vault is made. Write this recovery key down; it is shown once and opens the vault if the passphrase is lost:")
				d.say("\n    %s\n", made.RecoveryKey)
				d.say("Your exports will be signed as %s.", made.DID)
			})
		}),
	}
	cmd.Flags().StringVar(&kdf, "kdf", "calibrated", "calibrated, strong, or test (weak on purpose)")
	return cmd
}
