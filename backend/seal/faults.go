package seal

import (
	"strconv"

	"keepsake/backend/fault"
)

// What a secret that is not the one a slot was made with reads like.
var (
	errWrongPassphrase = fault.New(fault.WrongPassphrase, "wrong-passphrase", "This passphrase does not open the vault.").
				Advise("Check the keyboard layout and the caps lock, or open the vault with its recovery key.")
	errWrongRecovery = fault.New(fault.WrongPassphrase, "wrong-recovery-code", "This recovery key does not belong to this vault.").
				Advise("Check that it is the key of this vault, not of another.")
	errWrongKeychain = fault.New(fault.WrongPassphrase, "wrong-keychain", "What this computer's keychain holds does not open the vault.").
				Advise("Open it with its passphrase, then allow the keychain again in Settings.")
)

func errHeaderDamaged(cause error) error {
	return fault.New(fault.Damaged, "vault-header-damaged", "The vault's header is damaged, so the vault cannot be opened with it.").
		Advise("Nothing was changed. Restore the file vault.head from a copy of the vault.").Because(cause)
}

func errHeaderChanged(cause error) error {
	return fault.New(fault.Damaged, "vault-header-changed", "The vault's header is not the one Keepsake wrote: somebody or something changed it.").
		Advise("Nothing was changed. Restore the file vault.head from a copy of the vault.").Because(cause)
}

func errNewerFormat(format int) error {
	return fault.New(fault.Unsupported, "vault-newer-format", "This vault was written by a newer Keepsake (format {format}; this one reads up to {known}).").
		With("format", format).With("known", Format).
		Advise("Install the newer Keepsake. Nothing was changed.")
}

func errUnknownFeature(name string) error {
	return fault.New(fault.Unsupported, "vault-unknown-feature", "This vault uses {feature}, which this Keepsake does not know.").
		With("feature", clip(name)).
		Advise("Install the newest Keepsake. Nothing was changed.")
}

// clip keeps a name out of a damaged header from filling the screen.
func clip(name string) string {
	if len(name) > 40 {
		name = name[:40] + "…"
	}
	return strconv.QuoteToASCII(name)
}

func errRecordDamaged(cause error) error {
	return fault.New(fault.Damaged, "vault-record-damaged", "A record in the vault is damaged or was exchanged.").
		Advise("Restore the vault from a copy.").Because(cause)
}

func errTooLarge(size int) error {
	return fault.New(fault.TooLarge, "record-too-large", "One record would hold {size} bytes; at most {limit} are stored in one.").
		With("size", size).With("limit", MaxRecord)
}

func errIDTooLong(size int) error {
	return fault.New(fault.TooLarge, "record-id-too-long", "An id has {size} bytes; at most {limit} are stored.").
		With("size", size).With("limit", maxID)
}

func errBlobDamaged(cause error) error {
	return fault.New(fault.Damaged, "vault-attachment-damaged", "An attachment in the vault is damaged.").
		Advise("Everything else can be read. Import its export again to bring it back.").Because(cause)
}

func errScratchDamaged(cause error) error {
	return fault.New(fault.Damaged, "scratch-damaged", "A temporary file was changed while it was in use.").
		Advise("Try again.").Because(cause)
}
