package hooks

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"slices"
	"strings"
	"time"

	"keepsake/app/clients"
	"keepsake/app/owner"
	"keepsake/app/sessions"
	"keepsake/backend/core"
	"keepsake/backend/fault"
)

// Where is which vault is asked for.
type Where struct {
	Vault  string
	Agents string // folder of the keys of agents, and of the sessions that wait
}

// Bounds of a hook: assistants wait for it.
const (
	mostTime     = 3 * time.Second
	digestTokens = 480   // asked for
	mostDigest   = 2_000 // bytes
)

// event is what assistants say of a turn of a session. Claude Code and Gemini CLI write the first
// kind to standard input; Codex puts the second behind the arguments.
type event struct {
	Name       string `json:"hook_event_name"`
	Transcript string `json:"transcript_path"`

	Type   string `json:"type"`
	Thread string `json:"thread-id"`
}

// deed is what an event asks for.
type deed int

const (
	nothing deed = iota
	tell         // what the agent may know
	take         // the session
)

func (e event) deed(assistant string) deed {
	switch {
	case assistant == "codex" && e.Type == "agent-turn-complete":
		return take
	case assistant == "codex":
		return nothing
	case e.Name == "SessionStart":
		return tell
	case slices.Contains([]string{"PreCompact", "PreCompress", "SessionEnd"}, e.Name):
		return take
	}
	return nothing
}

// Run does what an event of an assistant asks for. out is what the assistant reads, nil for nothing;
// the line says what became of the event, "" where that is nothing.
func Run(ctx context.Context, at Where, assistant string, input []byte) (out []byte, line string) {
	ctx, cancel := context.WithTimeout(ctx, mostTime)
	defer cancel()
	a, known := sessions.Named(assistant)
	var e event
	if !known || json.Unmarshal(input, &e) != nil {
		return nil, said(fault.New(fault.Invalid, "hook-event", "What {client} said is no event of a hook that Keepsake knows.").With("client", assistant))
	}
	h := hook{a, at}
	var err error
	switch e.deed(assistant) {
	case tell:
		out, err = h.tell(ctx)
	case take:
		line, err = h.take(ctx, e)
	}
	if err != nil {
		return nil, said(err)
	}
	return out, line
}

// hook is one event that is answered.
type hook struct {
	assistant sessions.Assistant
	at        Where
}

// said is an error as one line.
func said(err error) string {
	var told *owner.Error
	if errors.As(err, &told) {
		return told.Error()
	}
	f := fault.From(err)
	return strings.TrimSpace(f.Message() + " " + f.Advice())
}

// tell asks what the agent may know, in the form in which the assistant reads it.
func (h hook) tell(ctx context.Context) ([]byte, error) {
	client, err := owner.NewClient(h.at.Vault, h.assistant.ID, h.at.Agents)
	if err != nil {
		return nil, err
	}
	defer client.Close()
	var known core.AgentContext
	if err := client.Call(ctx, "get_context", owner.ContextInput{Tokens: digestTokens}, &known); err != nil {
		return nil, err
	}
	text := digest(known.Text)
	if text == "" || h.assistant.ID != "gemini-cli" {
		return []byte(text), nil
	}
	return json.Marshal(map[string]any{"hookSpecificOutput": map[string]string{"hookEventName": "SessionStart", "additionalContext": text}})
}

// digest is a text cut to whole lines.
func digest(text string) string {
	text = strings.TrimSpace(text)
	if len(text) <= mostDigest {
		return text
	}
	text = text[:mostDigest]
	if i := strings.LastIndexByte(text, '\n'); i > 0 {
		text = text[:i]
	}
	return strings.ToValidUTF8(strings.TrimSpace(text), "")
}

// take lets the session wait, and tells the owner.
func (h hook) take(ctx context.Context, e event) (line string, err error) {
	places, err := clients.Here(os.Getenv)
	if err != nil {
		return "", err
	}
	path := e.Transcript
	if path == "" {
		if path, err = h.assistant.Find(places, e.Thread); err != nil {
			return "", err
		}
	}
	f, err := h.assistant.Open(places, path)
	if err != nil {
		return "", err
	}
	_ = f.Close() // the owner opens it again
	if err := sessions.NewWaiting(h.at.Agents, h.at.Vault).Add(h.assistant.ID, path); err != nil {
		return "", fault.New(fault.Refused, "hook-cannot-remember", "There is no room to remember this session, or this account cannot write beside Keepsake's settings.").Because(err)
	}
	return h.announce(ctx)
}

// announce tells the owner that the session waits.
func (h hook) announce(ctx context.Context) (line string, err error) {
	client, err := owner.NewClient(h.at.Vault, h.assistant.ID, h.at.Agents)
	if err != nil {
		return "", err
	}
	defer client.Close()
	may, err := client.Sessions(ctx)
	var told *owner.Error
	switch {
	case errors.As(err, &told) && !slices.Contains([]string{"vault-locked", "agent-no-owner"}, told.Reason):
		return "", err
	case err != nil:
		return "Keepsake is not open. It takes this session once it is unlocked.", nil
	case !slices.Contains(may.Tools, "propose_memory"):
		return "Keepsake takes this session once " + h.assistant.Name + " may propose memories.", nil
	}
	return "Keepsake takes this session.", nil
}
