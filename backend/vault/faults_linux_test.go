package vault_test

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"keepsake/backend/fault"
	"keepsake/backend/vault"
)

// injection makes one kind of system call fail.
type injection struct {
	call, what string
	paths      []string // only calls for these files of the vault
}

// bboltFiles are what bbolt maps; the runtime maps memory of its own.
var bboltFiles = []string{"vault.db", ".tmp-vault.db", ".tmp-compacted", "snapshots/.tmp-snapshot/vault.db"}

var injections = []injection{
	{"pwrite64", "error=ENOSPC", nil}, {"pwrite64", "error=EIO", nil},
	{"fdatasync", "error=EIO", nil}, {"fsync", "error=EIO", nil},
	{"ftruncate", "error=ENOSPC", nil}, {"fallocate", "error=ENOSPC", nil},
	{"write", "error=ENOSPC", bboltFiles}, {"copy_file_range", "error=ENOSPC", bboltFiles},
	{"mmap", "error=ENOMEM", bboltFiles},
	{"renameat", "error=EIO", nil},
	{"pwrite64", "signal=SIGKILL", nil}, {"fdatasync", "signal=SIGKILL", nil}, {"fsync", "signal=SIGKILL", nil},
	{"renameat", "signal=SIGKILL", nil}, {"unlinkat", "signal=SIGKILL", nil},
}

// args of strace for the calls of an injection. index 0 only counts them; lasting
// lets all from that one on fail.
func (in injection) args(dir string, index int, lasting bool) []string {
	args := []string{"-e", "trace=" + in.call, "-e", "signal=none"}
	for _, name := range in.paths {
		args = append(args, "-P", filepath.Join(dir, name))
	}
	if index > 0 {
		when := fmt.Sprint(index)
		if lasting {
			when += "+"
		}
		args = append(args, "-e", "inject="+in.call+":"+in.what+":when="+when)
	}
	return args
}

const faultSteps = sessionKinds + 1

// session runs the session with an injection.
func (in injection) session(t *testing.T, dir string, index int, lasting bool, trace string) (said sessionSaid, exit int, problems string, err error) {
	cmd := underStrace(t, "session", dir, append(in.args(dir, index, lasting), "-o", trace)...)
	cmd.Env = append(cmd.Env, sessionUntil+"="+fmt.Sprint(faultSteps))
	var out, bad bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &bad
	running := cmd.Run()
	var ended *exec.ExitError
	if running != nil && !errors.As(running, &ended) {
		return said, 0, "", running
	}
	said.confirmed = -1
	text := out.String()
	if at := strings.LastIndex(text, "\nfault "); at >= 0 && cmd.ProcessState.ExitCode() == 3 {
		end := at + 1 + strings.Index(text[at+1:], "\n") + 1
		text = text[:end] // the last line says the same once more
	}
	return said, cmd.ProcessState.ExitCode(), bad.String(), said.hearAll(text)
}

// count is how many such calls one thread makes in the session.
func (in injection) count(t *testing.T, dir, trace string) int {
	t.Helper()
	said, exit, problems, err := in.session(t, dir, 0, false, trace)
	if err != nil || exit != 0 || said.confirmed != faultSteps {
		t.Fatalf("%v; exit code %d, %+v, %s", err, exit, said, problems)
	}
	raw, err := os.ReadFile(trace)
	if err != nil {
		t.Fatal(err)
	}
	most, threads := 0, map[string]int{}
	for line := range strings.Lines(string(raw)) {
		thread, rest, _ := strings.Cut(line, " ")
		if strings.HasPrefix(strings.TrimLeft(rest, " "), in.call+"(") {
			threads[thread]++
			most = max(most, threads[thread])
		}
	}
	return most
}

// Promise (row 10): a system call that fails at any moment of a session, once or
// from then on, and a kill at any, cost nothing that was confirmed. No fault
// goes unsaid, and each names the disk or the device; after one that passes, the
// session goes on once the vault was locked and unlocked.
func TestFailingCalls(t *testing.T) {
	needStrace(t)
	folder, trace := fastFolder(t), t.TempDir()
	type try struct {
		injection
		index   int
		lasting bool
	}
	var all []try
	for i, in := range injections {
		n := in.count(t, filepath.Join(folder, fmt.Sprint("count", i)), filepath.Join(trace, "count"))
		t.Logf("%s %s: %d calls", in.call, in.what, n)
		for index := 1; index <= n; index++ {
			all = append(all, try{in, index, false})
			if strings.HasPrefix(in.what, "error") {
				all = append(all, try{in, index, true})
			}
		}
	}
	tries := min(sized(400, len(all)), len(all))
	states := sessionStates(faultSteps)
	var mu sync.Mutex
	var wg sync.WaitGroup
	free := make(chan struct{}, 2)
	faults, wentOn, said := 0, 0, map[string]int{}
	for i := range tries {
		tr := all[i*len(all)/tries]
		free <- struct{}{}
		wg.Go(func() {
			defer func() { <-free }()
			dir := filepath.Join(folder, fmt.Sprint(i))
			defer os.RemoveAll(dir)
			s, exit, problems, err := tr.session(t, dir, tr.index, tr.lasting, os.DevNull)
			what := fmt.Sprintf("%s %s number %d, lasting %v", tr.call, tr.what, tr.index, tr.lasting)
			if err == nil {
				err = survived(dir, states, s, exit, problems)
			}
			if err == nil && !tr.lasting && exit >= 0 && s.confirmed != faultSteps {
				err = fmt.Errorf("it did not go on: %v", s.faults)
			}
			mu.Lock()
			defer mu.Unlock()
			faults += len(s.faults)
			for _, f := range s.faults {
				reason, _, _ := strings.Cut(strings.TrimPrefix(f, "fault "), " ")
				said[reason]++
			}
			if s.confirmed == faultSteps {
				wentOn++
			}
			if err != nil {
				t.Errorf("%s: %v (%v)", what, err, errors.Unwrap(err))
			}
		})
	}
	wg.Wait()
	t.Logf("%d of %d failing calls and kills: %d sessions went on to their end, %d faults said: %v", tries, len(all), wentOn, faults, said)
}

// survived checks what a session said and left.
func survived(dir string, states []contained, s sessionSaid, exit int, problems string) error {
	if exit != 0 && exit != 3 && exit != -1 && exit != 137 || problems != "" {
		return fmt.Errorf("exit code %d: %.2000s", exit, problems)
	}
	for _, f := range s.faults {
		if strings.HasPrefix(f, `fault ""`) || strings.HasPrefix(f, `fault "internal"`) || !strings.Contains(f, "disk") && !strings.Contains(f, "device") {
			return fmt.Errorf("it said %s", f)
		}
	}
	if s.confirmed >= 0 {
		_, err := checkSession(dir, states, s.confirmed, s.begun)
		return err
	}
	if _, err := checkSession(dir, states, 0, max(s.begun, 0)); fault.CodeOf(err) == fault.Internal {
		return err
	}
	return nil
}

// Promise: after a new data file whose name may not outlive a power cut nothing
// is written, and nothing is said to be stored, until the name is flushed: a lock
// and an unlock do that, or say that they cannot.
func TestNamesAreFlushedBeforeAnythingElse(t *testing.T) {
	needStrace(t)
	for job, want := range map[string]string{"compact": "vault-needs-reopening\nvault-write-failed\n", "rekey": "vault-write-failed\n"} {
		for _, lasting := range []bool{false, true} {
			dir := filepath.Join(t.TempDir(), "vault")
			v, _ := create(t, dir)
			put(t, v, vault.Memories, "early", 3)
			closeVault(t, v)
			in := injection{"fsync", "error=EIO", []string{"."}}
			cmd := underStrace(t, "rename", dir, append(in.args(dir, 1, lasting), "-o", os.DevNull)...)
			cmd.Env = append(cmd.Env, jobName+"="+job)
			out, err := cmd.Output()
			if lasting && (err == nil || !strings.HasPrefix(string(out), want+"internal vault-write-failed ")) || !lasting && (err != nil || string(out) != want) {
				t.Errorf("%s, lasting %v: it said %q, %v", job, lasting, out, err)
			}
			v = open(t, dir) // the disk is well again
			if n := v.State().Counts[vault.Memories]; n < 3 {
				t.Errorf("%s: %d memories are left", job, n)
			}
			closeVault(t, v)
		}
	}
}

// Promise: where folders cannot change names in one step, a restore that cannot take the
// name of the vault gives it back, and one that cannot do that either says where it is.
func TestAVaultThatIsNotReplacedIsKept(t *testing.T) {
	needStrace(t)
	for failing, want := range map[string]string{"2": "refused vault-not-replaced ", "2+": "refused vault-left-aside "} {
		dir, file, _, _ := backedUp(t)
		v := open(t, dir)
		put(t, v, vault.Memories, "later", 2)
		held := contents(t, v)
		closeVault(t, v)
		// The first call of renameat for this folder puts it aside, the second gives its name
		// to the restored one, and the third gives it back.
		cmd := underStrace(t, "restore", dir, "-P", dir, "-e", "trace=renameat,renameat2", "-e", "signal=none",
			"-e", "inject=renameat2:error=EINVAL", "-e", "inject=renameat:error=EIO:when="+failing, "-o", os.DevNull)
		cmd.Env = append(cmd.Env, jobName+"="+file)
		out, err := cmd.Output()
		if err == nil || !strings.HasPrefix(string(out), want) {
			t.Errorf("%s: it said %q, %v", failing, out, err)
		}
		beside, err := os.ReadDir(filepath.Dir(dir))
		if err != nil || len(beside) != 1 {
			t.Fatalf("%s: beside it are %v, %v", failing, beside, err)
		}
		kept := filepath.Join(filepath.Dir(dir), beside[0].Name())
		if (kept == dir) != (failing == "2") || !strings.Contains(string(out), kept) {
			t.Errorf("%s: it is in %s, and said %q", failing, kept, out)
		}
		if got := contents(t, open(t, kept)); !maps.Equal(got, held) {
			t.Errorf("%s: %d records instead of %d", failing, len(got), len(held))
		}
	}
}
