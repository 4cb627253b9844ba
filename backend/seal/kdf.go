package seal

import (
	"fmt"
	"math"
	"runtime/debug"
	"time"

	"golang.org/x/crypto/argon2"
)

// KDF holds the cost of Argon2id v1.3. The cost is always an argument, so that
// tests can be quick.
type KDF struct {
	MemoryKiB uint32
	Time      uint32
	Threads   uint8
}

// Bounds of a header that we accept, checked before any memory is taken:
// x/crypto panics on zero and allocates whatever it is told.
const (
	minMemoryKiB = 19 << 10
	maxMemoryKiB = 1 << 20
	maxTime      = 16
	maxThreads   = 16
	minSalt      = 16
	maxSalt      = 64
)

// floor is the least that is written for a person: RFC 9106's second choice.
var floor = KDF{MemoryKiB: 64 << 10, Time: 3, Threads: 4}

// TestKDF is weak on purpose, for tests and `--kdf test`. It is the only cost
// below the bounds that is accepted.
func TestKDF() KDF { return KDF{MemoryKiB: 64, Time: 1, Threads: 1} }

// StrongKDF costs about two seconds and 1 GiB: the most that is accepted on
// reading, at a number of passes a laptop bears.
func StrongKDF() KDF { return KDF{MemoryKiB: maxMemoryKiB, Time: 3, Threads: 4} }

// DefaultKDF calibrates for this machine: p=4, an eighth of the memory between
// 64 and 256 MiB, and from three passes up to about 0.75 seconds.
func DefaultKDF() KDF {
	k := floor
	if eighth := memoryBytes() / 8 >> 10; eighth > uint64(k.MemoryKiB) {
		k.MemoryKiB = uint32(min(eighth, 256<<10))
	}
	perPass := k.Estimate() / time.Duration(k.Time)
	for k.Time < maxTime && time.Duration(k.Time)*perPass < 750*time.Millisecond {
		k.Time++
	}
	return k
}

// Check reports whether the cost is within the bounds.
func (k KDF) Check() error {
	if k == TestKDF() {
		return nil
	}
	if k.MemoryKiB < minMemoryKiB || k.MemoryKiB > maxMemoryKiB ||
		k.Time < 1 || k.Time > maxTime || k.Threads < 1 || k.Threads > maxThreads {
		return fmt.Errorf("check key derivation: %s is out of bounds", k)
	}
	return nil
}

// Work is what a derivation costs, in KiB of memory times passes over it.
func (k KDF) Work() uint64 { return uint64(k.MemoryKiB) * uint64(k.Time) }

// MaxWork is the work of the most expensive slot that is accepted.
const MaxWork = maxMemoryKiB * maxTime

// Weak reports whether the cost is below what is written today.
func (k KDF) Weak() bool {
	return k.MemoryKiB < floor.MemoryKiB || k.Time < floor.Time
}

// String is "argon2id m=256MiB t=3 p=4".
func (k KDF) String() string {
	unit, m := "MiB", k.MemoryKiB>>10
	if k.MemoryKiB%1024 != 0 {
		unit, m = "KiB", k.MemoryKiB
	}
	return fmt.Sprintf("argon2id m=%d%s t=%d p=%d", m, unit, k.Time, k.Threads)
}

// AtLeast is k, raised where other costs more: an upgrade never takes away.
func (k KDF) AtLeast(other KDF) KDF {
	return KDF{MemoryKiB: max(k.MemoryKiB, other.MemoryKiB), Time: max(k.Time, other.Time), Threads: max(k.Threads, other.Threads)}
}

// ForRandom is the cost of a slot beside k whose secret is at least 128 random
// bits, which no cost makes harder to guess.
func (k KDF) ForRandom() KDF {
	if k.Weak() {
		return k
	}
	return floor
}

// Estimate measures small runs and scales the quicker one: the cost is linear
// in memory and passes.
func (k KDF) Estimate() time.Duration {
	probe := KDF{MemoryKiB: min(k.MemoryKiB, 64<<10), Time: min(k.Time, 2), Threads: k.Threads}
	took := time.Duration(math.MaxInt64)
	for range 2 {
		start := time.Now()
		argon2.IDKey([]byte("how long does this take"), make([]byte, minSalt), probe.Time, probe.MemoryKiB, probe.Threads, keySize)
		took = min(took, time.Since(start))
	}
	return took * time.Duration(k.MemoryKiB) / time.Duration(probe.MemoryKiB) * time.Duration(k.Time) / time.Duration(probe.Time)
}

// derive is Argon2id to 32 bytes. The parameters must have been checked.
func (k KDF) derive(secret, salt []byte) (key []byte) {
	guarded(func() { key = argon2.IDKey(secret, salt, k.Time, k.MemoryKiB, k.Threads, keySize) })
	if k.MemoryKiB >= minMemoryKiB {
		debug.FreeOSMemory() // the block held half a gigabyte of secrets; give it back at once
	}
	return key
}
