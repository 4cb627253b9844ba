package bench

import (
	"bufio"
	"context"
	"crypto/ed25519"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"

	"keepsake/backend/core"
)

// Agents that the rows ask as: one sees all texts as they are, from the other what is
// sensitive is hidden. Neither has a budget.
const (
	openAgent    = "bench-open"
	carefulAgent = "bench-careful"
)

// shareAtOnce is how many memories are put into a circle in one change.
const shareAtOnce = 20_000

// agentQuestions is how many searches each side of the row "agent" asks.
const agentQuestions = 200

// asAgent asks what an assistant asks, on a vault of which it may see all memories. Its
// floor asks the service the same, without grants, the budget and the line in the log.
func asAgent() Row {
	return Row{
		Name: "agent", Floors: []string{"service"}, Also: []string{"hiding", "context"}, prepare: sharedLibrary,
		sides: map[string]side{
			"service": onRested(askEach("search", func(ctx context.Context, s *core.Service, text string) (int, error) {
				found, err := s.Search(ctx, core.SearchQuery{Text: text, Mode: core.Hybrid, In: "memories", Limit: 10})
				return len(found.Hits), err
			})),
			work:      onRested(askEach("search", searchAs(openAgent))),
			"hiding":  onRested(askEach("search", searchAs(carefulAgent))),
			"context": onRested(askEach("context", contextAs(carefulAgent))),
		},
		goals: func(m medians) []Goal {
			hiding, context := m.of("hiding").Extra, m.of("context").Extra
			return []Goal{
				atMost(1.5, "search p95 / the service's", m.over("search p95 ms", "search p95 ms")),
				atMost(60, "search p95, ms", m.work.Extra["search p95 ms"]),
				told("search p50, ms", m.work.Extra["search p50 ms"]),
				atMost(60, "search with hidden places p95, ms", hiding["search p95 ms"]),
				told("search with hidden places p50, ms", hiding["search p50 ms"]),
				atMost(100, "context p95, ms", context["context p95 ms"]),
				told("context p50, ms", context["context p50 ms"]),
			}
		},
	}
}

// sharedLibrary is a library of which both agents may see everything.
func sharedLibrary(ctx context.Context, dir string, p Plan) error {
	if err := library(ctx, dir, p); err != nil {
		return err
	}
	return withVault(ctx, dir, false, func(s *core.Service) error {
		circle, err := s.MakeCircle(ctx, core.Circle{Name: "Assistants"})
		if err != nil {
			return err
		}
		page, err := s.Memories(ctx, core.MemoryQuery{})
		if err != nil {
			return err
		}
		var ids []string
		for _, m := range page.Items {
			ids = append(ids, m.ID)
		}
		for some := range slices.Chunk(ids, shareAtOnce) {
			if _, err := s.JoinCircle(ctx, circle.Entity, some, true); err != nil {
				return err
			}
		}
		return errors.Join(allow(ctx, s, openAgent, circle.Entity, true), allow(ctx, s, carefulAgent, circle.Entity, false))
	})
}

// allow introduces an agent and lets it read.
func allow(ctx context.Context, s *core.Service, name, circle string, unredacted bool) error {
	public, _, err := ed25519.GenerateKey(nil)
	if err != nil {
		return fmt.Errorf("make key: %w", err)
	}
	der, err := x509.MarshalPKIXPublicKey(public)
	if err != nil {
		return fmt.Errorf("write key: %w", err)
	}
	key := pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der})
	if _, err := s.MeetAgent(ctx, name, string(key)); err != nil {
		return err
	}
	_, err = s.AllowAgent(ctx, name, core.AgentGrant{Circle: circle, Permissions: []core.AgentPermission{core.AgentMayRead}, Unredacted: unredacted})
	return err
}

func searchAs(agent string) func(context.Context, *core.Service, string) (int, error) {
	return func(ctx context.Context, s *core.Service, text string) (int, error) {
		found, err := s.AgentSearch(ctx, agent, core.AgentSearch{Text: text})
		return len(found.Memories), err
	}
}

func contextAs(agent string) func(context.Context, *core.Service, string) (int, error) {
	return func(ctx context.Context, s *core.Service, text string) (int, error) {
		told, err := s.AgentContext(ctx, agent, text, 0)
		return told.Memories, err
	}
}

// askEach asks with words of the library and takes the time of each question. One that
// finds nothing is an error: all words are in memories.
func askEach(name string, ask func(ctx context.Context, s *core.Service, text string) (found int, err error)) librarySide {
	return func(ctx context.Context, s *core.Service, j *job) error {
		page, err := s.Memories(ctx, core.MemoryQuery{Limit: 400})
		if err != nil {
			return err
		}
		sets := queries(page)
		texts := slices.Concat(sets["word"], sets["two words"])
		if len(texts) == 0 {
			return errors.New("ask as an agent: the library has no words to ask with")
		}
		var took timed
		err = j.measure(func() error {
			for i := range agentQuestions {
				text := texts[i*len(texts)/agentQuestions]
				if err := took.add(func() error { return found(ask(ctx, s, text)) }); err != nil {
					return fmt.Errorf("%s: %w", name, err)
				}
			}
			return nil
		})
		took.millis(name, j.Extra)
		return err
	}
}

func found(n int, err error) error {
	if err == nil && n == 0 {
		err = errors.New("nothing was found")
	}
	return err
}

// starts is how often the row "shim" starts the program.
const starts = 20

// startingShim starts what an assistant starts, and waits for its first answer. Its floor
// starts the program for nothing but its version. Nobody has the vault open.
func startingShim() Row {
	return Row{
		Name: "shim", Floors: []string{"version"}, prepare: func(context.Context, string, Plan) error { return nil },
		sides: map[string]side{"version": startEach([]string{"version"}, ""), work: startEach([]string{"mcp", "--client", "bench"}, hello)},
		goals: func(m medians) []Goal {
			return []Goal{
				atMost(150, "first answer p95, ms", m.work.Extra["start p95 ms"]),
				told("first answer p50, ms", m.work.Extra["start p50 ms"]),
				told("first answer p50 / start for the version p50", m.over("start p50 ms", "start p50 ms")),
				memoryGoal(30, "memory, files included, MB", m.work, int64(m.work.Extra["peak bytes"])),
			}
		},
	}
}

// hello is the first request of a client, as the protocol of 2025-06-18 has it.
const hello = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"bench","version":"1"}}}` + "\n"

// startEach starts this program with arguments and an input, in a home of its own, until
// it has written a line.
func startEach(args []string, input string) side {
	return func(ctx context.Context, j *job) error {
		self, err := os.Executable()
		if err != nil {
			return fmt.Errorf("find program: %w", err)
		}
		var took timed
		err = j.measure(func() error {
			for range starts {
				if err := took.start(j, exec.CommandContext(ctx, self, args...), input); err != nil {
					return fmt.Errorf("start program: %w", err)
				}
			}
			return nil
		})
		took.millis("start", j.Extra)
		return err
	}
}

// start times a command until it has written a line, looks at its memory, and ends it by
// the end of its input.
func (t *timed) start(j *job, cmd *exec.Cmd, input string) error {
	cmd.Env = append(os.Environ(), "HOME="+j.own, "XDG_CONFIG_HOME=", "XDG_DATA_HOME=")
	in, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	err = t.add(func() error {
		if err := cmd.Start(); err != nil {
			return err
		}
		if _, err := io.WriteString(in, input); err != nil && input != "" {
			return err
		}
		_, err := bufio.NewReader(out).ReadString('\n')
		return err
	})
	if used, ok := memoryOf(cmd.Process.Pid); ok {
		j.Extra["peak bytes"] = max(j.Extra["peak bytes"], float64(used.peak))
	}
	return errors.Join(err, in.Close(), cmd.Wait())
}
