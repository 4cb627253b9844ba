package owner

import (
	"context"
	"crypto/ed25519"
	"encoding/json"
	"net"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"keepsake/backend/fault"
)

// TestAnIdleConnection is closed after ten minutes with no call under way, and no sooner.
func TestAnIdleConnection(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		here, there := net.Pipe()
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			defer there.Close()
			serve(t.Context(), there, func(_ context.Context, _ client, r request) response {
				if r.Tool == "slow" {
					time.Sleep(3 * idleTimeout)
				}
				return response{ID: r.ID, Result: json.RawMessage("{}")}
			})
		}()
		_, key, _ := ed25519.GenerateKey(nil)
		f := newFrames(here)
		if err := (&Client{name: "x"}).greet(f, key); err != nil {
			t.Fatal(err)
		}
		for _, tool := range []string{"quick", "slow", "quick"} {
			time.Sleep(idleTimeout - time.Second)
			if err := f.write(request{ID: 1, Tool: tool}); err != nil {
				t.Fatalf("%s: %v", tool, err)
			}
			if err := f.read(new(response)); err != nil {
				t.Fatalf("%s: %v", tool, err)
			}
		}
		from := time.Now()
		<-ended
		if waited := time.Since(from); waited != idleTimeout {
			t.Errorf("it was closed after %v", waited)
		}
	})
}

// TestWhatAgentsAreNotTold: no message has a path, or says what went wrong inside.
func TestWhatAgentsAreNotTold(t *testing.T) {
	for _, err := range []error{
		fault.New(fault.NotFound, "no-vault", "There is no vault in {folder}.").With("folder", "/home/robin/vault"),
		fault.New(fault.Damaged, "vault-data-missing", "The vault in {folder} has lost its data file.").With("folder", "robin"),
		fault.New(fault.Refused, "vault-entry-no-file", "{path} is not the file that belongs there.").With("path", "robin/vault.db"),
		fault.New(fault.Refused, "other", "{what} cannot be read.").With("what", "/home/robin/x"),
		fault.New(fault.Internal, "inside", "The row of robin is not there."),
		context.DeadlineExceeded,
	} {
		told := errorOf(err)
		if text := told.Error(); strings.Contains(text, "robin") || strings.Contains(text, "/") || text == "" {
			t.Errorf("%v is told as %s", err, text)
		}
	}
	if told := errorOf(fault.New(fault.NotFound, "no-memory", "There is no memory with the id {id}.").With("id", "m1")); told.Message != "There is no memory with the id m1." {
		t.Errorf("%+v", told)
	}
}
