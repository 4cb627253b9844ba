package vault_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"syscall"
	"testing"

	"path/filepath"

	"keepsake/backend/fault"
	"keepsake/backend/seal"
	"keepsake/backend/vault"
)

// Promise (row 11): on a disk of any size between 8 KiB and 4 MiB a vault is
// made and written to until the disk is full. Every refusal is a sentence, and
// nothing that was confirmed is lost: the vault opens as it is, or once there
// is room.
func TestDisksOfEverySize(t *testing.T) {
	const most = 4 << 20
	sizes := sized(100, 1024)
	made, full, opened := 0, 0, 0
	for i := range sizes {
		size := (8<<10 + (most-8<<10)*int64(i+1)/int64(sizes)) >> 12 << 12
		d := newDiskOf(t, size)
		stored, refused := d.fill(t)
		if stored >= 0 {
			made++
		}
		if refused != nil {
			full++
		}
		if d.check(t, stored) {
			opened++
		}
		d.gone(t)
	}
	t.Logf("%d disks of 8 KiB to 4 MiB: a vault was made on %d, %d filled up, %d of the vaults opened on the full disk and the others with room; 0 lost", sizes, made, full, opened)
	if made == 0 || full < made {
		t.Errorf("%d vaults were made, %d disks filled up", made, full)
	}
}

// Promise: where there is no room for a vault, that is what is said, before a
// passphrase is asked for where that can be seen; and nothing is left behind.
func TestNoRoomForAVault(t *testing.T) {
	refused, early := 0, 0
	for size := int64(16 << 10); size <= 640<<10; size += 16 << 10 {
		d := newDiskOf(t, size)
		before := vault.MayCreate(d.vault())
		v, _, err := vault.Create(d.vault(), vault.CreateOptions{Passphrase: []byte(passphrase), KDF: seal.TestKDF(), Now: clock})
		if err == nil {
			closeVault(t, v)
		} else {
			wantFault(t, err, fault.TooLarge, "no-room-for-vault")
			if left, _ := os.ReadDir(d.at); len(left) != 0 {
				t.Errorf("a disk of %d bytes: left behind: %v", size, left)
			}
			refused++
		}
		if before != nil {
			wantFault(t, before, fault.TooLarge, "no-room-for-vault")
			early++
		}
		d.gone(t)
	}
	if early == 0 || refused < early || refused == 40 {
		t.Errorf("of 40 disks %d had no room, %d of them were refused before", refused, early)
	}
}

// Promise: no step fails for want of room once it is in the data file: it would be
// said that nothing of it was kept. All that it writes after that has its room since
// the vault was made.
func TestTheMarkHasItsRoom(t *testing.T) {
	d := newDiskOf(t, 4<<20)
	v, _, err := vault.Create(d.vault(), vault.CreateOptions{Passphrase: []byte(passphrase), KDF: seal.TestKDF(), Now: clock})
	if err != nil {
		t.Fatal(err)
	}
	closeVault(t, v)
	var stat syscall.Stat_t
	if err := syscall.Stat(filepath.Join(d.vault(), "vault.gen"), &stat); err != nil {
		t.Fatal(err)
	}
	if stat.Blocks == 0 || stat.Size != 69 {
		t.Errorf("vault.gen has %d blocks and %d bytes before the first commit", stat.Blocks, stat.Size)
	}
}

// Promise: a vault whose newest changes are only in the journal opens on a full disk
// and can be read; what is added as long as the journal has room lasts, and the rest is
// refused, while reading goes on; once there is room all goes on.
func TestUnlockOnAFullDisk(t *testing.T) {
	d := newDiskOf(t, 4<<20)
	v, _, err := vault.Create(d.vault(), vault.CreateOptions{Passphrase: []byte(passphrase), KDF: seal.TestKDF(), Now: clock})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := v.Index(); err != nil {
		t.Fatal(err)
	}
	if err := v.Snapshot(context.Background()); err != nil {
		t.Fatal(err)
	}
	add := func(n, size int) error {
		return v.Update(func(tx *vault.Tx) error {
			return tx.Put(vault.Memories, fmt.Sprint("m", n), day, make([]byte, size))
		})
	}
	stored := 0
	for ; stored < 12; stored++ { // more than the free pages of the file take
		if err := add(stored, 50_000); err != nil {
			t.Fatal(err)
		}
	}
	lying := filepath.Join(t.TempDir(), "vault")
	if err := os.CopyFS(lying, os.DirFS(d.vault())); err != nil {
		t.Fatal(err)
	}
	closeVault(t, v)
	full := newDiskOf(t, 8<<20)
	if err := os.CopyFS(full.vault(), os.DirFS(lying)); err != nil {
		t.Fatal(err)
	}
	filler := full.fillUp(t)
	v = open(t, full.vault())
	for err = nil; err == nil && stored < 10_000; stored++ {
		err = add(stored, 2_000)
	}
	stored-- // the last one was refused
	wantFault(t, err, fault.TooLarge, "disk-full")
	wantFault(t, v.Checkpoint(), fault.TooLarge, "disk-full")
	wantHeld(t, v, stored)
	closeVault(t, v)
	v = open(t, full.vault())
	wantHeld(t, v, stored)
	if report, err := v.Check(context.Background(), nil); err != nil || len(report.Damaged) > 0 {
		t.Errorf("a check: %v, %v (%v)", report.Damaged, err, errors.Unwrap(err))
	}
	if err := os.Remove(filler); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(add(stored, 50_000), v.Checkpoint()); err != nil {
		t.Fatal(err)
	}
	wantHeld(t, v, stored+1)
}

func wantHeld(t *testing.T, v *vault.Vault, want int) {
	t.Helper()
	if n := v.State().Counts[vault.Memories]; n != want {
		t.Errorf("%d memories, not %d", n, want)
	}
	view(t, v, func(tx *vault.Tx) error { _, err := tx.Get(vault.Memories, fmt.Sprint("m", want-1)); return err })
}

// fillUp leaves no room on the disk, and returns the file that takes it.
func (d diskOf) fillUp(t *testing.T) (filler string) {
	t.Helper()
	filler = filepath.Join(d.at, "filler")
	f, err := os.Create(filler)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for err == nil {
		_, err = f.Write(make([]byte, 4096))
	}
	if !errors.Is(err, syscall.ENOSPC) {
		t.Fatal(err)
	}
	return filler
}

// diskOf is a disk of its own.
type diskOf struct {
	at   string
	size int64
}

func newDiskOf(t *testing.T, size int64) diskOf {
	t.Helper()
	d := diskOf{t.TempDir(), size}
	if err := syscall.Mount("none", d.at, "tmpfs", 0, fmt.Sprintf("size=%d", size)); err != nil {
		// Mounting is for root; the message says what stands in for it.
		t.Skipf("NO DISK CAN BE MOUNTED HERE (%v; only root may): NO REAL DISK IS FILLED. TestDiskFull limits the size of files instead.", err)
	}
	t.Cleanup(func() { _ = syscall.Unmount(d.at, 0) })
	return d
}

func (d diskOf) gone(t *testing.T) {
	t.Helper()
	if err := syscall.Unmount(d.at, 0); err != nil {
		t.Fatal(err)
	}
}

func (d diskOf) vault() string { return filepath.Join(d.at, "vault") }

// fill makes a vault and writes until it cannot; stored is the number of records
// that were confirmed, -1 where no vault could be made.
func (d diskOf) fill(t *testing.T) (stored int, refused error) {
	t.Helper()
	v, _, err := vault.Create(d.vault(), vault.CreateOptions{Passphrase: []byte(passphrase), KDF: seal.TestKDF(), Now: clock})
	if err != nil {
		d.wantFull(t, err)
		return -1, err
	}
	for refused == nil {
		refused = v.Update(func(tx *vault.Tx) error {
			return tx.Put(vault.Memories, fmt.Sprint("r", stored), day, make([]byte, 500+stored*997%30_000))
		})
		if refused == nil {
			stored++
		}
		if refused == nil && stored%16 == 0 {
			if err := v.Snapshot(context.Background()); err != nil {
				d.wantFull(t, err)
			}
		}
	}
	d.wantFull(t, refused)
	closeVault(t, v)
	return stored, refused
}

func (d diskOf) wantFull(t *testing.T, err error) {
	t.Helper()
	switch fault.From(err).Reason {
	case "disk-full", "no-room-for-copy", "no-room-for-vault", "vault-needs-reopening":
	default:
		t.Errorf("a disk of %d bytes: it said %v (%v)", d.size, err, errors.Unwrap(err))
	}
}

// check holds that all that was confirmed is there, and says whether the vault
// opened while the disk was full.
func (d diskOf) check(t *testing.T, stored int) (whileFull bool) {
	t.Helper()
	v, err := unlocked(d.vault())
	whileFull = err == nil
	if err != nil && stored >= 0 {
		d.wantFull(t, err)
	}
	if err != nil {
		if err := syscall.Mount("none", d.at, "tmpfs", syscall.MS_REMOUNT, "size=64m"); err != nil {
			t.Fatal(err)
		}
		if v, err = unlocked(d.vault()); stored < 0 {
			if err == nil {
				_ = v.Close()
			}
			return false
		}
	}
	if err != nil {
		t.Fatalf("a disk of %d bytes: unreadable: %v (%v)", d.size, err, errors.Unwrap(err))
	}
	defer closeVault(t, v)
	view(t, v, func(tx *vault.Tx) error {
		for i := range stored {
			text, err := tx.Get(vault.Memories, fmt.Sprint("r", i))
			if err != nil || len(text) != 500+i*997%30_000 {
				t.Fatalf("a disk of %d bytes: record %d of %d is lost: %v", d.size, i, stored, err)
			}
		}
		if n := tx.Count(vault.Memories); n != stored { // what was refused is not there
			t.Errorf("a disk of %d bytes: %d records, %d were confirmed", d.size, n, stored)
		}
		return nil
	})
	return whileFull
}
