package vault_test

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"path/filepath"
	"testing"
	"time"

	"keepsake/backend/fault"
)

// Promise (row 8): a process killed at any moment of a session with edits,
// conversations that no journal takes, attachments, snapshots, compactions,
// freezes and erasing loses nothing it had confirmed, and leaves a vault that
// opens.
func TestKilledInASession(t *testing.T) {
	dir := filepath.Join(fastFolder(t), "vault")
	rounds, fewest := sized(200, 5000), sessionKinds/2
	if testing.Short() {
		// Under Wine a process is killed so late that nearly all of them end in the six kinds of steps
		// that take long.
		rounds, fewest = 40, sessionKinds/3
	}
	held, at := contained{"step": "0"}, 0 // what must be there, and after which step
	kinds := map[int]int{}                // rounds by the kind of step they were killed in
	r := rand.New(rand.NewPCG(8, 8))
	for round := range rounds {
		// Half of the rounds end at any time, so that slow steps are hit more often. The
		// others end at any step: on a busy machine time alone reaches few kinds of them.
		lines, after := 1, time.Duration(r.IntN(80_000))*time.Microsecond
		if round%2 == 1 {
			lines, after = 1+r.IntN(4*sessionKinds), time.Duration(r.IntN(2_000))*time.Microsecond
		}
		said := killSession(t, dir, lines, after)
		if said.confirmed < 0 {
			if v, err := unlocked(dir); err == nil { // its creation was not confirmed, and is complete
				_ = v.Close()
			} else if fault.CodeOf(err) == fault.Internal {
				t.Fatalf("round %d: %v", round, err)
			}
			continue
		}
		v, err := unlocked(dir)
		if err != nil {
			t.Fatalf("round %d: unreadable: %v (%v)", round, err, errors.Unwrap(err))
		}
		got, last, err := sessionHolds(v)
		if err := errors.Join(err, v.Close()); err != nil {
			t.Fatalf("round %d: unreadable: %v (%v)", round, err, errors.Unwrap(err))
		}
		for at < last {
			at++
			held.take(at)
		}
		// What was begun last was begun after what is held, or is held.
		if err := compareSession(got, last, held, said.confirmed, said.begun); err != nil {
			t.Fatalf("round %d: %v", round, err)
		}
		kinds[said.begun%sessionKinds]++
	}
	if at < rounds/4 || len(kinds) < fewest {
		t.Errorf("the session came to step %d and was killed in steps of the kinds %v only", at, kinds)
	}
	t.Logf("killed %d times, the session came to step %d: 0 lost, 0 unreadable; by kind of step %v", rounds, at, kinds)
}

// killSession lets a session go on and kills it a while after it said so many lines.
func killSession(t *testing.T, dir string, lines int, after time.Duration) sessionSaid {
	t.Helper()
	cmd := child(t, "session", dir)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	said, first := bufio.NewReader(out), ""
	for range lines {
		var line string
		if line, err = said.ReadString('\n'); err != nil {
			break
		}
		first += line
	}
	time.Sleep(after) // a moment of any length in the session, to kill it in
	_ = cmd.Process.Kill()
	rest, reading := io.ReadAll(said)
	_ = cmd.Wait()
	heard := sessionSaid{confirmed: -1}
	if err := errors.Join(err, reading, heard.hearAll(first+string(rest))); err != nil || len(heard.faults) > 0 {
		t.Fatalf("%v; it said %s", err, fmt.Sprint(first, string(rest)))
	}
	return heard
}
