package cli_test

import (
	"bytes"
	"io"
	"strings"
	"testing"

	"keepsake/app/cli"
)

// burst panics with what it was to write.
type burst struct{}

func (burst) Write(p []byte) (int, error) { panic(string(p)) }

// Promise: a mistake in a command is an error of that command: the process that has the vault open and
// runs it for another one goes on, and nothing of the panic's value is shown.
func TestAPanicInACommandEndsTheCommandAlone(t *testing.T) {
	svc := openVault(t)
	run := func(out io.Writer) (int, string) {
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
