package vault_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"keepsake/backend/fault"
	"keepsake/backend/seal"
	"keepsake/backend/vault"
)

// The test binary runs itself as a second process: childTask says what it does,
// childDir with which vault.
const (
	childTask = "KEEPSAKE_VAULT_TEST_TASK"
	childDir  = "KEEPSAKE_VAULT_TEST_DIR"
)

func TestMain(m *testing.M) {
	tasks := map[string]func(dir string) error{"open": childOpens, "write": childWrites, "create": childCreates, "fill": childFills, "forbidden": childIsForbidden, "keys": childChangesKeys, "session": childSession, "job": childJob, "rename": childRenames, "restore": childRestores}
	if task := tasks[os.Getenv(childTask)]; task != nil {
		if err := task(os.Getenv(childDir)); err != nil {
			fmt.Println(fault.CodeOf(err), fault.From(err).Reason, err)
			os.Exit(3)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func child(t *testing.T, task, dir string) *exec.Cmd {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), exe)
	cmd.Env = append(os.Environ(), childTask+"="+task, childDir+"="+dir)
	return cmd
}

func childOpens(dir string) error {
	v, err := vault.Open(dir, time.Now)
	if err != nil {
		return err
	}
	return v.Close()
}

// Promise: while one process has the vault, a second one is told so in words,
// quickly, whether it opens or makes one.
func TestSecondProcessIsBusy(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "vault")
	v, _ := create(t, dir)
	start := time.Now()
	out, err := child(t, "open", dir).CombinedOutput()
	if err == nil || !strings.HasPrefix(string(out), "busy vault-busy Another Keepsake has this vault open.") {
		t.Fatalf("the second process said %q, %v", out, err)
	}
	if took := time.Since(start); took > 5*time.Second {
		t.Errorf("it took %v", took)
	}
	_, err = vault.Open(dir, clock) // a second time in the same process
	wantFault(t, err, fault.Busy, "vault-busy")
	closeVault(t, v)
	if out, err := child(t, "open", dir).CombinedOutput(); err != nil {
		t.Fatalf("after it was closed: %q, %v", out, err)
	}
}

// childWrites commits five records a transaction and a conversation now and
// then, and says after each commit which it was.
func childWrites(dir string) error {
	v, err := vault.Open(dir, time.Now)
	if err != nil {
		return err
	}
	if err := v.Unlock(context.Background(), []byte(passphrase)); err != nil {
		return err
	}
	fmt.Println("ready", v.State().Generation)
	for {
		n := v.State().Generation
		err := v.Update(func(tx *vault.Tx) error {
			for i := range 5 {
				text := bytes.Repeat([]byte{byte(n), byte(i)}, 50+int(n*37)%10_000)
				if err := tx.Put(vault.Memories, fmt.Sprintf("g%d-%d", n, i), day, text); err != nil {
					return err
				}
			}
			if n%7 == 0 {
				return putConversation(tx, vault.ConversationHead{}, conversation("c", int(n%90), 900))
			}
			return tx.Link(vault.Memories, "newest", fmt.Sprint(n))
		})
		if err != nil {
			return err
		}
		fmt.Println("done", n)
	}
}

// Promise: a process killed at any moment loses nothing it had confirmed and
// leaves a vault that opens.
func TestKilledAtAnyMoment(t *testing.T) {
	dir := filepath.Join(fastFolder(t), "vault")
	v, _ := create(t, dir)
	closeVault(t, v)
	for round := range 20 {
		confirmed := killAfter(t, dir, 3+round*2)
		v := open(t, dir)
		if g := v.State().Generation; g < confirmed+1 || g > confirmed+2 {
			t.Fatalf("round %d: generation %d after %d was confirmed", round, g, confirmed)
		}
		view(t, v, func(tx *vault.Tx) error {
			for i := range 5 {
				if _, err := tx.Get(vault.Memories, fmt.Sprintf("g%d-%d", confirmed, i)); err != nil {
					return err
				}
			}
			for _, err := range tx.Each(vault.Memories) {
				if err != nil {
					return err
				}
			}
			return nil
		})
		closeVault(t, v)
	}
}

// killAfter lets a child confirm n commits, kills it somewhere in the next,
// and returns the last generation it confirmed.
func killAfter(t *testing.T, dir string, n int) uint64 {
	t.Helper()
	cmd := child(t, "write", dir)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var last uint64
	lines := bufio.NewScanner(out)
	for seen := 0; lines.Scan(); {
		var g uint64
		if _, err := fmt.Sscanf(lines.Text(), "done %d", &g); err == nil {
			last = g
			if seen++; seen == n {
				_ = cmd.Process.Kill()
			}
		} else if !strings.HasPrefix(lines.Text(), "ready") {
			t.Fatalf("the child said %q", lines.Text())
		}
	}
	if err := cmd.Wait(); err == nil || last == 0 {
		t.Fatalf("the child ended by itself: %v, last %d", err, last)
	}
	return last
}

// childCreates makes a vault where no file may grow beyond 8 KiB.
func childCreates(dir string) error {
	if _, err := limitFiles(8 << 10); err != nil {
		return err
	}
	_, _, err := vault.Create(dir, vault.CreateOptions{Passphrase: []byte(passphrase), KDF: seal.TestKDF()})
	return err
}

// Promise: a creation that fails on a full disk leaves nothing, or the folder
// as it was.
func TestCreationFailureLeavesNothing(t *testing.T) {
	if !canLimitFiles {
		t.Skip("needs a limit on the size of files, which only Unix has")
	}
	parent := t.TempDir()
	for _, dir := range []string{filepath.Join(parent, "a", "deep", "vault"), filepath.Join(parent, "empty")} {
		if err := os.MkdirAll(filepath.Join(parent, "empty"), 0o700); err != nil {
			t.Fatal(err)
		}
		out, err := child(t, "create", dir).CombinedOutput()
		if err == nil || !strings.HasPrefix(string(out), "too_large no-room-for-vault") {
			t.Fatalf("the child said %q, %v", out, err)
		}
		if _, err := os.Stat(filepath.Join(parent, "a")); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("the folder stayed: %v", err)
		}
		if left, _ := os.ReadDir(filepath.Join(parent, "empty")); len(left) != 0 {
			t.Errorf("left in the empty folder: %v", left)
		}
		v, _ := create(t, dir) // and there is room for it afterwards
		closeVault(t, v)
		_ = os.RemoveAll(filepath.Join(parent, "a"))
	}
}

// childFills writes until no file may grow, and then goes on with the vault.
func childFills(dir string) error {
	v, err := vault.Open(dir, time.Now)
	if err != nil {
		return err
	}
	if err := v.Unlock(context.Background(), []byte(passphrase)); err != nil {
		return err
	}
	lift, err := limitFiles(2 << 20)
	if err != nil {
		return err
	}
	var full error
	n := 0
	for ; full == nil; n++ {
		full = v.Update(func(tx *vault.Tx) error { return tx.Put(vault.Raw, fmt.Sprint(n), day, make([]byte, 50_000)) })
	}
	fmt.Println(fault.From(full).Reason)
	fmt.Println(fault.From(v.Update(func(tx *vault.Tx) error { return tx.Put(vault.Raw, "again", day, make([]byte, 50_000)) })).Reason)
	if err := v.View(func(*vault.Tx) error { return nil }); err != nil {
		return err
	}
	_, _, _, err = v.PutBlob(io.LimitReader(zeroReader{}, 2<<20))
	fmt.Println(fault.From(err).Reason)
	kept := func() error {
		v.Lock()
		if err := v.Unlock(context.Background(), []byte(passphrase)); err != nil {
			return err
		}
		return v.View(func(tx *vault.Tx) error {
			if kept := tx.Count(vault.Raw); kept != n-1 { // without the one that was refused
				return fmt.Errorf("%d of %d records were kept", kept, n-1)
			}
			_, err := tx.Get(vault.Raw, fmt.Sprint(n-2))
			return err
		})
	}
	checked := func() error { // which keeps nobody from reading after it
		_, err := v.Check(context.Background(), nil)
		return errors.Join(err, v.View(func(*vault.Tx) error { return nil }))
	}
	if err := errors.Join(kept(), checked(), lift(), kept(), checked()); err != nil {
		return err
	}
	return v.Update(func(tx *vault.Tx) error { return tx.Delete(vault.Raw, "0") })
}

type zeroReader struct{}

func (zeroReader) Read(p []byte) (int, error) { clear(p); return len(p), nil }

// Promise: on a full disk the step fails in words, before anything of it is in
// the data file; nothing before it is lost, and reading goes on.
func TestDiskFull(t *testing.T) {
	if !canLimitFiles {
		t.Skip("needs a limit on the size of files, which only Unix has")
	}
	dir := filepath.Join(t.TempDir(), "vault")
	v, _ := create(t, dir)
	closeVault(t, v)
	out, err := child(t, "fill", dir).CombinedOutput()
	want := "disk-full\ndisk-full\ndisk-full\n"
	if err != nil || string(out) != want {
		t.Fatalf("the child said %q, %v", out, err)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "blobs", "*")); len(left) != 0 {
		t.Errorf("left behind: %v", left)
	}
	v = open(t, dir)
	if v.State().Counts[vault.Raw] < 3 {
		t.Errorf("state %+v", v.State())
	}
}

// childRenames gives the data file a new one's place, says what becomes of that
// and of a change after it, and locks, unlocks and changes the vault once more.
func childRenames(dir string) error {
	runtime.LockOSThread() // strace counts the calls of each thread apart
	v, err := unlocked(dir)
	if err != nil {
		return err
	}
	change := func(tx *vault.Tx) error { return tx.Put(vault.Memories, "later", day, []byte("later")) }
	if os.Getenv(jobName) == "rekey" {
		err = v.Rekey(context.Background(), vault.RekeyOptions{Proof: []byte(passphrase), Passphrase: []byte(passphrase), RecoveryCode: seal.NewRecoveryCode(), KDF: seal.TestKDF()})
	} else {
		_, err = v.Compact(context.Background())
		fmt.Println(fault.From(v.Update(change)).Reason)
	}
	fmt.Println(fault.From(err).Reason)
	v.Lock()
	if err := v.Unlock(context.Background(), []byte(passphrase)); err != nil {
		return err
	}
	return errors.Join(v.Update(change), v.Close())
}

// childRestores restores the backup that jobName names over the vault.
func childRestores(dir string) error {
	runtime.LockOSThread() // strace counts the calls of each thread apart
	_, _, err := vault.Restore(context.Background(), os.Getenv(jobName), dir, day, nothing, byPassphrase())
	return err
}
