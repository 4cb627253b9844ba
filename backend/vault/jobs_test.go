package vault_test

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"keepsake/backend/vault"
)

// jobName is which of the jobs a child does.
const jobName = "KEEPSAKE_VAULT_TEST_JOB"

// jobs work on the vault in root/vault; root/backup is a backup of it from
// before its newest record, for restoring.
var jobs = map[string]func(root string) error{
	"forget": inVault(func(v *vault.Vault) error {
		var gone vault.Traces
		err := v.Update(func(tx *vault.Tx) error {
			tx.Trace()
			if err := tx.Delete(vault.Memories, "early7"); err != nil {
				return err
			}
			gone = tx.Traces()
			return nil
		})
		if err != nil {
			return err
		}
		err = v.Erase(context.Background(), gone)
		fmt.Println("done 1", hex.EncodeToString(gone[0][:])+"-")
		return err
	}),
	"compact": inVault(func(v *vault.Vault) error {
		_, err := v.Compact(context.Background())
		return err
	}),
	"snapshot": inVault(func(v *vault.Vault) error { return v.Snapshot(context.Background()) }),
	"freeze":   inVault(func(v *vault.Vault) error { return v.Freeze() }),
	"backup": inVault(func(v *vault.Vault) error {
		f, err := os.CreateTemp("", "backup")
		if err != nil {
			return err
		}
		defer os.Remove(f.Name())
		return errors.Join(v.Backup(context.Background(), f), f.Close(), v.NoteBackup())
	}),
	"recover": func(root string) error {
		_, err := vault.Recover(context.Background(), filepath.Join(root, "vault"), clock, false, byPassphrase())
		return err
	},
	"restore": func(root string) error {
		_, _, err := vault.Restore(context.Background(), filepath.Join(root, "backup"), filepath.Join(root, "vault"), day, nothing, byPassphrase())
		return err
	},
}

func inVault(job func(*vault.Vault) error) func(string) error {
	return func(root string) error {
		v, err := unlocked(filepath.Join(root, "vault"))
		if err != nil {
			return err
		}
		fmt.Println("done 0 -")
		return errors.Join(job(v), v.Close())
	}
}

func childJob(root string) error { return jobs[os.Getenv(jobName)](root) }
