package owner

import (
	"bytes"
	"context"
	"encoding/json"
	"slices"
	"time"

	"keepsake/backend/core"
	"keepsake/backend/fault"
	"keepsake/backend/memory"
)

// SearchInput is what search_memories takes.
type SearchInput struct {
	Query         string   `json:"query" jsonschema:"words or a question"`
	Types         []string `json:"types,omitempty" jsonschema:"such as fact or preference"`
	Tags          []string `json:"tags,omitempty" jsonschema:"any of these"`
	Platform      string   `json:"platform,omitempty" jsonschema:"such as chatgpt"`
	Since         string   `json:"since,omitempty" jsonschema:"RFC 3339"`
	Until         string   `json:"until,omitempty" jsonschema:"RFC 3339"`
	MinSimilarity *float64 `json:"min_similarity,omitempty" jsonschema:"least similarity of meaning, 0.7 to 1"`
	Limit         int      `json:"limit,omitempty" jsonschema:"10 unless given, 50 at most"`
}

// GetInput is what get_memory takes.
type GetInput struct {
	ID string `json:"id"`
}

// ListInput is what list_memories takes.
type ListInput struct {
	Types    []string `json:"types,omitempty"`
	Tags     []string `json:"tags,omitempty" jsonschema:"any of these"`
	Platform string   `json:"platform,omitempty"`
	Since    string   `json:"since,omitempty" jsonschema:"RFC 3339"`
	Until    string   `json:"until,omitempty" jsonschema:"RFC 3339"`
	Cursor   string   `json:"cursor,omitempty" jsonschema:"next of the page before"`
	Limit    int      `json:"limit,omitempty" jsonschema:"10 unless given, 50 at most"`
}

// ContextInput is what get_context takes.
type ContextInput struct {
	Topic  string `json:"topic,omitempty" jsonschema:"what is talked about; what fits it comes first"`
	Tokens int    `json:"tokens,omitempty" jsonschema:"room there is, 2000 unless given, 20000 at most"`
}

// FindConversationsInput is what search_conversations takes.
type FindConversationsInput struct {
	Query string `json:"query" jsonschema:"words of the title or of what was said"`
	Limit int    `json:"limit,omitempty" jsonschema:"10 unless given, 50 at most"`
}

// ConversationInput is what get_conversation takes.
type ConversationInput struct {
	ID     string `json:"id"`
	Offset int    `json:"offset,omitempty" jsonschema:"next of the page before"`
	Limit  int    `json:"limit,omitempty" jsonschema:"messages, 10 unless given, 50 at most"`
}

// ProposeInput is what propose_memory takes.
type ProposeInput struct {
	Content string   `json:"content" jsonschema:"one statement about the person"`
	Type    string   `json:"type,omitempty" jsonschema:"fact unless given"`
	Tags    []string `json:"tags,omitempty"`
	Reason  string   `json:"reason,omitempty" jsonschema:"why, for the person who decides"`
}

// UpdateInput is what update_memory takes.
type UpdateInput struct {
	ID      string    `json:"id"`
	Content *string   `json:"content,omitempty"`
	Type    *string   `json:"type,omitempty"`
	Tags    *[]string `json:"tags,omitempty"`
}

// RelateInput is what relate_memories takes.
type RelateInput struct {
	From string `json:"from" jsonschema:"id"`
	Type string `json:"type" jsonschema:"such as related_to, supports or contradicts"`
	To   string `json:"to" jsonschema:"id"`
}

// ExportInput is what export_memory takes (MIF §8).
type ExportInput struct {
	Format     string `json:"format,omitempty"`
	Embeddings *bool  `json:"include_embeddings,omitempty"` // nil: true
	Graph      *bool  `json:"include_graph,omitempty"`      // nil: true
	Since      string `json:"since,omitempty"`
	Redact     *bool  `json:"redact_pii,omitempty"` // nil: true
}

// ImportInput is what import_memory takes (MIF §8).
type ImportInput struct {
	Data  string `json:"data"`
	Merge string `json:"merge_strategy,omitempty"`
}

// ForgetInput is what forget_memories takes: one of the targets.
type ForgetInput struct {
	IDs     []string `json:"memory_ids,omitempty"`
	Session string   `json:"session_id,omitempty"`
	Query   string   `json:"query,omitempty"`
	Before  string   `json:"before,omitempty" jsonschema:"RFC 3339"`
	Tags    []string `json:"topic_tags,omitempty"`
}

// tool is something that an agent can call.
type tool struct {
	name string
	may  func(core.AgentGrant) bool
	call func(ctx context.Context, service *core.Service, agent string, arguments json.RawMessage) (any, error)
}

// permits returns whether a grant has a permission.
func permits(p core.AgentPermission) func(core.AgentGrant) bool {
	return func(g core.AgentGrant) bool { return slices.Contains(g.Permissions, p) }
}

// changes reports whether a grant lets memories be changed, at once or by a proposal.
func changes(g core.AgentGrant) bool {
	return permits(core.AgentMayWrite)(g) || permits(core.AgentMayPropose)(g)
}

func readsTalks(g core.AgentGrant) bool {
	return permits(core.AgentMayRead)(g) && g.Conversations != core.AgentNoConversations && g.Conversations != ""
}

// typed makes a tool of a function with typed arguments.
func typed[In, Out any](name string, may func(core.AgentGrant) bool, do func(ctx context.Context, service *core.Service, agent string, in In) (Out, error)) tool {
	return tool{name, may, func(ctx context.Context, service *core.Service, agent string, arguments json.RawMessage) (any, error) {
		var in In
		if len(arguments) > 0 {
			d := json.NewDecoder(bytes.NewReader(arguments))
			d.DisallowUnknownFields()
			if err := d.Decode(&in); err != nil {
				return nil, fault.New(fault.Invalid, "agent-arguments", "The arguments of {tool} are not those that it takes.").With("tool", name).Because(err)
			}
		}
		return do(ctx, service, agent, in)
	}}
}

func tools() []tool { return append(usual(), alternatives()...) }

func usual() []tool {
	return []tool{
		typed("search_memories", permits(core.AgentMayRead), searchMemories),
		typed("get_memory", permits(core.AgentMayRead), func(ctx context.Context, service *core.Service, agent string, in GetInput) (core.AgentMemoryDetail, error) {
			return service.AgentMemory(ctx, agent, in.ID)
		}),
		typed("list_memories", permits(core.AgentMayRead), listMemories),
		typed("get_context", permits(core.AgentMayRead), func(ctx context.Context, service *core.Service, agent string, in ContextInput) (core.AgentContext, error) {
			return service.AgentContext(ctx, agent, in.Topic, in.Tokens)
		}),
		typed("search_conversations", readsTalks, func(ctx context.Context, service *core.Service, agent string, in FindConversationsInput) (core.AgentTalks, error) {
			return service.AgentConversations(ctx, agent, in.Query, in.Limit)
		}),
		typed("get_conversation", readsTalks, func(ctx context.Context, service *core.Service, agent string, in ConversationInput) (core.AgentThread, error) {
			return service.AgentConversation(ctx, agent, in.ID, in.Offset, in.Limit)
		}),
		typed("propose_memory", permits(core.AgentMayPropose), func(ctx context.Context, service *core.Service, agent string, in ProposeInput) (core.AgentProposed, error) {
			return service.AgentPropose(ctx, agent, core.AgentSuggestion{Content: in.Content, Type: memory.Type(in.Type), Tags: in.Tags, Reason: in.Reason})
		}),
		typed("update_memory", changes, func(ctx context.Context, service *core.Service, agent string, in UpdateInput) (core.AgentDone, error) {
			return service.AgentUpdate(ctx, agent, in.ID, core.AgentCorrection{Content: in.Content, Type: (*memory.Type)(in.Type), Tags: in.Tags})
		}),
		typed("retract_memory", changes, func(ctx context.Context, service *core.Service, agent string, in GetInput) (core.AgentDone, error) {
			return service.AgentRetract(ctx, agent, in.ID)
		}),
		typed("relate_memories", changes, func(ctx context.Context, service *core.Service, agent string, in RelateInput) (core.AgentDone, error) {
			return service.AgentRelate(ctx, agent, in.From, memory.RelationType(in.Type), in.To)
		}),
		typed("export_memory", permits(core.AgentMayRead), exportMemory),
		typed("import_memory", permits(core.AgentMayPropose), func(ctx context.Context, service *core.Service, agent string, in ImportInput) (core.AgentImported, error) {
			return service.AgentImport(ctx, agent, core.AgentImport{Text: in.Data, Merge: core.AgentMerge(in.Merge)})
		}),
		typed("forget_memories", permits(core.AgentMayDelete), func(ctx context.Context, service *core.Service, agent string, in ForgetInput) (core.AgentForgetAnswer, error) {
			within, err := scope(nil, nil, "", "", in.Before)
			if err != nil {
				return core.AgentForgetAnswer{}, err
			}
			return service.AgentForget(ctx, agent, core.AgentForgetTarget{IDs: in.IDs, Session: in.Session, Query: in.Query, Before: within.Until, Tags: in.Tags})
		}),
	}
}

func searchMemories(ctx context.Context, service *core.Service, agent string, in SearchInput) (core.AgentItems, error) {
	within, err := scope(in.Types, in.Tags, in.Platform, in.Since, in.Until)
	if err != nil {
		return core.AgentItems{}, err
	}
	ask := core.AgentSearch{Text: in.Query, Within: within, Limit: in.Limit}
	if in.MinSimilarity != nil {
		ask.MinSimilarity = *in.MinSimilarity
	}
	return service.AgentSearch(ctx, agent, ask)
}

func listMemories(ctx context.Context, service *core.Service, agent string, in ListInput) (core.AgentItems, error) {
	within, err := scope(in.Types, in.Tags, in.Platform, in.Since, in.Until)
	if err != nil {
		return core.AgentItems{}, err
	}
	return service.AgentMemories(ctx, agent, core.AgentListing{Within: within, Cursor: in.Cursor, Limit: in.Limit})
}

func exportMemory(ctx context.Context, service *core.Service, agent string, in ExportInput) (core.AgentDocument, error) {
	within, err := scope(nil, nil, "", in.Since, "")
	if err != nil {
		return core.AgentDocument{}, err
	}
	unless := func(wanted *bool) bool { return wanted == nil || *wanted }
	return service.AgentExport(ctx, agent, core.AgentExport{
		Form: core.MIFForm(in.Format), NoEmbeddings: !unless(in.Embeddings), NoGraph: !unless(in.Graph), Since: within.Since, Redact: unless(in.Redact),
	})
}

// scope reads what narrows a search or a list.
func scope(types, tags []string, platform, since, until string) (core.AgentScope, error) {
	s := core.AgentScope{Types: types, Tags: tags}
	if platform != "" {
		s.Platforms = []string{platform}
	}
	for _, d := range []struct {
		text string
		into *memory.Time
	}{{since, &s.Since}, {until, &s.Until}} {
		if d.text == "" {
			continue
		}
		at, err := time.Parse(time.RFC3339, d.text)
		if err != nil {
			at, err = time.Parse(time.DateOnly, d.text)
		}
		if err != nil {
			return s, fault.New(fault.Invalid, "agent-date", "A date is written like 2026-05-31 or 2026-05-31T12:00:00Z.")
		}
		*d.into = memory.At(at)
	}
	return s, nil
}

// Ready is what an agent may do now, for the list of tools that it is shown.
type Ready struct {
	Tools []string `json:"tools"`
}

// PrefixInput is what completeTool takes.
type PrefixInput struct {
	Prefix string `json:"prefix"`
}

// completeTool asks for tags, to complete what a person types. It is no tool of an assistant, and stands
// in the log as those do.
const completeTool = "complete"

func complete() tool {
	return typed(completeTool, permits(core.AgentMayRead), func(ctx context.Context, service *core.Service, agent string, in PrefixInput) (core.AgentTags, error) {
		return service.AgentTags(ctx, agent, in.Prefix)
	})
}

// readyTool asks what an agent may do. It is no tool of an assistant, and stands in no log.
const readyTool = "ready"

// call answers a call of an agent as JSON.
func call(ctx context.Context, service *core.Service, a core.Agent, r request) (json.RawMessage, error) {
	if r.Tool == readyTool || r.Tool == sessionsTool {
		return json.Marshal(ready(a.Grant))
	}
	for _, t := range append(tools(), complete()) {
		if t.name != r.Tool {
			continue
		}
		result, err := t.call(ctx, service, a.Name, r.Arguments)
		if err != nil {
			return nil, err
		}
		return json.Marshal(result)
	}
	return nil, fault.New(fault.Invalid, "agent-tool", "There is no tool of this name.")
}

// reachedNoTool reports whether a call was refused before the service knew of it.
func reachedNoTool(err error) bool {
	return err != nil && slices.Contains([]string{"agent-tool", "agent-arguments", "agent-date"}, fault.From(err).Reason)
}

// knownTool is the name of a tool as the log may have it: another one is whatever an agent wrote.
func knownTool(name string) string {
	if name == completeTool || slices.Contains(Names(), name) {
		return name
	}
	return "unknown"
}

func ready(g core.AgentGrant) Ready {
	r := Ready{Tools: []string{}}
	for _, t := range tools() {
		if t.may(g) {
			r.Tools = append(r.Tools, t.name)
		}
	}
	return r
}

// Usual lists the tools that an agent may call where nobody can say what it may.
func Usual() []string { return ready(core.DefaultAgentGrant("")).Tools }

// Names lists all tools.
func Names() []string { return names(tools()) }

// Alternatives lists the tools that do what others do in other words.
func Alternatives() []string { return names(alternatives()) }

func names(tools []tool) (all []string) {
	for _, t := range tools {
		all = append(all, t.name)
	}
	return all
}
