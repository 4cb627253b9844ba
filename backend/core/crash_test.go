package core_test

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"keepsake/backend/core"
	"keepsake/backend/memory"
	"keepsake/backend/seal"
	"keepsake/backend/vault/vaulttest"
)

// crashRoot names the folder of the session that is to be killed, crashCipher
// its cipher; without them TestSessionToBeKilled is no test.
const (
	crashRoot   = "KEEPSAKE_CORE_TEST_CRASH"
	crashCipher = "KEEPSAKE_CORE_TEST_CIPHER"
)

// TestSessionToBeKilled is the child of TestNothingReadableAfterACrash: it says
// what it planted, and writes until somebody ends it.
func TestSessionToBeKilled(t *testing.T) {
	root := os.Getenv(crashRoot)
	if root == "" {
		return
	}
	k := bare(t, seal.Cipher(os.Getenv(crashCipher)))
	k.root = root
	k.cfg.VaultDir, k.cfg.SettingsFile, k.cfg.ScratchDir = filepath.Join(root, "vault"), filepath.Join(root, "config", "settings.json"), filepath.Join(root, "scratch")
	s, err := core.New(k.cfg)
	if err != nil {
		t.Fatal(err)
	}
	k.Service = s
	made := ok(k.CreateVault(ctx, passphrase, "test"))
	fmt.Println("secret " + made.RecoveryKey)
	p := &plants{}
	for round := 0; ; round++ {
		before := len(p.all)
		k.add("I was told " + p.take())
		b, files := p.planted(3)
		k.root = t.TempDir()
		k.imports(k.write("a.zip", b, files...))
		ok(k.AddMemory(ctx, core.NewMemory{Type: memory.Goal, Content: p.take(), Tags: []string{p.take()}}))
		if err := k.KeepDraft(ctx, core.Draft{Content: "not finished: " + p.take(), Type: string(memory.Fact)}); err != nil {
			t.Fatal(err)
		}
		k.readEverything(p.all[0])
		for _, canary := range p.all[before : len(p.all)-1] { // the draft is kept for later
			fmt.Println("planted " + canary)
		}
	}
}

// killedSession lets a session run until it has planted a number of canaries,
// and kills it in the middle of what it does next.
func killedSession(t *testing.T, cipher seal.Cipher) (dirs, canaries, secrets []string) {
	t.Helper()
	root, temp := t.TempDir(), t.TempDir()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), exe, "-test.run=^TestSessionToBeKilled$")
	cmd.Env = append(os.Environ(), crashRoot+"="+root, crashCipher+"="+string(cipher), "TMPDIR="+filepath.Join(temp, "tmp"), "TMP="+filepath.Join(temp, "tmp"))
	if err := os.Mkdir(filepath.Join(temp, "tmp"), 0o700); err != nil {
		t.Fatal(err)
	}
	log, err := os.Create(filepath.Join(temp, "log"))
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	cmd.Stderr = log
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	secrets = []string{string(passphrase)}
	lines := bufio.NewScanner(out)
	for len(canaries) < 200 && lines.Scan() {
		what, word, _ := strings.Cut(lines.Text(), " ")
		switch what {
		case "secret":
			secrets = append(secrets, word, strings.ReplaceAll(word, "-", ""))
		case "planted":
			canaries = append(canaries, word)
		}
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	if len(canaries) < 200 || len(secrets) != 3 {
		t.Fatalf("%d canaries and %d secrets when it ended", len(canaries), len(secrets))
	}
	// The exports that it read lie in its temporary folder; they are the person's.
	exports, err := filepath.Glob(filepath.Join(temp, "tmp", "TestSessionToBeKilled*"))
	for _, dir := range exports {
		if err == nil {
			err = os.RemoveAll(dir)
		}
	}
	if err != nil || len(exports) == 0 {
		t.Fatalf("exports: %v, %v", exports, err)
	}
	return []string{root, temp}, canaries, secrets
}

// Promise: also of a session that is killed in the middle nothing can be read
// from its vault, settings, scratch, temporary files and log; the passphrase and
// the recovery key are among what is looked for.
func TestNothingReadableAfterACrash(t *testing.T) {
	dirs, canaries, secrets := killedSession(t, "")
	found := ok(vaulttest.Scan(append(secrets, canaries...), dirs...))
	for canary, places := range found {
		t.Errorf("%s can be read in %v", canary, places)
	}
	control, planted, _ := killedSession(t, seal.Plaintext)
	found = ok(vaulttest.Scan(planted, control...))
	t.Logf("%d canaries and %d secrets: %d found; of the control's %d canaries %d", len(canaries), len(secrets), len(ok(vaulttest.Scan(append(secrets, canaries...), dirs...))), len(planted), len(found))
	for _, canary := range planted {
		if len(found[canary]) == 0 {
			t.Errorf("the control does not find %s", canary)
		}
	}
	if err := os.WriteFile(filepath.Join(control[1], "log"), []byte(secrets[1]), 0o600); err != nil {
		t.Fatal(err)
	}
	if found := ok(vaulttest.Scan(secrets, control...)); len(found[secrets[1]]) == 0 {
		t.Error("the control does not find a recovery key in a log")
	}
}
