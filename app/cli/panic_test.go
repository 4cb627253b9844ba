package cli_test

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"

	"keepsake/app/cli"
	"keepsake/backend/core"
)

// burst panics with what it was to write.
type burst struct{}

func (burst) Write(p []byte) (int, error) { panic(string(p)) }

// Promise: a mistake in a command is an error of that command: the process that has the vault open and
// runs it for another one goes on, and nothing of the panic's value is shown.
func TestAPanicInACommandEndsTheCommandAlone(t *testing.T) {
	svc, err := core.New(core.Config{VaultDir: filepath.Join(t.TempDir(), "vault"), ScratchDir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := svc.CreateVault(t.Context(), []byte("correct horse battery staple"), "test"); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = svc.Close() })
	run := func(out interface{ Write([]byte) (int, error) }) (int, string) {
		var stderr bytes.Buffer
		exit := cli.Run(t.Context(), []string{"status"}, cli.Env{Stdin: strings.NewReader(""), Stdout: out, Stderr: &stderr, Getenv: func(string) string { return "" }, Opened: svc})
		return exit, stderr.String()
	}
	if exit, said := run(burst{}); exit != 70 || !strings.Contains(said, "Something went wrong") || strings.Contains(said, "emor") || strings.Contains(said, "goroutine") {
		t.Errorf("%d, %q", exit, said)
	}
	var out bytes.Buffer
	if exit, said := run(&out); exit != 0 || said != "" {
		t.Errorf("the next one: %d, %q", exit, said)
	}
}
