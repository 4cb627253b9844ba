package vault_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"keepsake/backend/seal"
	"keepsake/backend/vault"
)

// killRounds is how many times a process that changes keys is killed;
// KEEPSAKE_SOAK asks for more.
func killRounds() int {
	if n, err := strconv.Atoi(os.Getenv("KEEPSAKE_SOAK")); err == nil && n > 0 {
		return 5000
	}
	return 30
}

// childChangesKeys opens the vault with whichever passphrase fits and changes
// its keys in every way, over and over, until it is killed.
func childChangesKeys(dir string) error {
	v, err := vault.Open(dir, time.Now)
	if err != nil {
		return err
	}
	is, next := passphrase, second
	if v.Unlock(context.Background(), []byte(is)) != nil {
		is, next = next, is
		if err := v.Unlock(context.Background(), []byte(is)); err != nil {
			return err
		}
	}
	fmt.Println("ready")
	for {
		if err := v.ChangePassphrase(context.Background(), []byte(is), []byte(next), seal.TestKDF()); err != nil {
			return err
		}
		is, next = next, is
		if err := v.BeginRotation(); err != nil {
			return err
		}
		for m := v.Migrator(); v.Rotation().Running; {
			if _, err := m.Step(context.Background()); err != nil {
				return err
			}
		}
		if err := v.SetRecovery(context.Background(), seal.NewRecoveryCode()); err != nil {
			return err
		}
		err := v.Rekey(context.Background(), vault.RekeyOptions{
			Proof: []byte(is), Passphrase: []byte(next), RecoveryCode: seal.NewRecoveryCode(), KDF: seal.TestKDF(),
		})
		if err != nil {
			return err
		}
		is, next = next, is
		if err := v.Unlock(context.Background(), []byte(is)); err != nil {
			return err
		}
	}
}

// Promise (row 21): a process killed at any moment of a passphrase change, a
// rotation or a re-key leaves a vault that opens with the old passphrase or the
// new one, with everything in it.
func TestKilledWhileKeysChange(t *testing.T) {
	dir := filepath.Join(fastFolder(t), "vault")
	v, _ := create(t, dir)
	s := fillVault(t, v, 300)
	closeVault(t, v)
	rounds, firsts := killRounds(), 0
	for round := range rounds {
		killChanging(t, dir, time.Duration(round*round*13%120)*time.Millisecond)
		first := opensWith(t, dir, passphrase, s.check(t))
		if first != nil {
			if err := opensWith(t, dir, second, s.check(t)); err != nil {
				t.Fatalf("round %d: neither passphrase opens: %v; %v (%v)", round, first, err, errors.Unwrap(err))
			}
			continue
		}
		firsts++
	}
	t.Logf("killed %d times: %d opened with one passphrase, %d with the other, 0 with neither", rounds, firsts, rounds-firsts)
}

func killChanging(t *testing.T, dir string, after time.Duration) {
	t.Helper()
	cmd := child(t, "keys", dir)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewReader(out)
	if line, _ := lines.ReadString('\n'); line != "ready\n" {
		t.Fatalf("the child said %q", line)
	}
	time.Sleep(after) // a moment of any length in the change, to kill it in
	_ = cmd.Process.Kill()
	if rest, _ := io.ReadAll(lines); len(rest) > 0 {
		t.Fatalf("the child ended by itself: %s", rest)
	}
	_ = cmd.Wait()
}
