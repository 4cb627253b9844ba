package owner

import (
	"context"
	"crypto/ed25519"
	"encoding/json"
	"io"
	"net"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"keepsake/backend/core"
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
			answers{call: func(_ context.Context, _ client, r request) response {
				if r.Tool == "slow" {
					time.Sleep(3 * idleTimeout)
				}
				return response{ID: r.ID, Result: json.RawMessage("{}")}
			}}.serve(t.Context(), there)
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

// TestAClientThatReadsNothing ends its command after a while, and no sooner; no more of what the
// command writes is held than has a bound.
func TestAClientThatReadsNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		here, there := net.Pipe()
		defer here.Close()
		ch, err := newChannel(newFrames(there), new(core.ChannelKey), make([]byte, nonceSize), make([]byte, nonceSize), true)
		if err != nil {
			t.Fatal(err)
		}
		ctx, leave := context.WithCancel(t.Context())
		out, from, written := newOutput(mostHeld), time.Now(), 0
		sending{conn: there, channel: ch, out: out, leave: leave}.during(ctx, func(stdout, _ io.Writer) int {
			for {
				n, err := stdout.Write(make([]byte, maxPiece))
				if err != nil {
					return 8
				}
				written += n
			}
		})
		if waited := time.Since(from); waited != stallTimeout {
			t.Errorf("it was ended after %v", waited)
		}
		if written > mostHeld+2*maxPiece {
			t.Errorf("%d bytes were held", written)
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
