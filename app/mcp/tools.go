package mcp

import (
	"encoding/json"
	"errors"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"keepsake/app/owner"
	"keepsake/backend/core"
)

// How tools behave, for a client that asks its person before it calls one.
func reads() mcp.ToolAnnotations { return mcp.ToolAnnotations{ReadOnlyHint: true} }

func adds() mcp.ToolAnnotations { return mcp.ToolAnnotations{DestructiveHint: new(bool)} }

func changes() mcp.ToolAnnotations {
	return mcp.ToolAnnotations{DestructiveHint: new(bool), IdempotentHint: true}
}

// describe describes all tools; show decides which of them an agent is shown.
func (s *server) describe() error {
	return errors.Join(
		tool[owner.SearchInput, core.AgentItems](s, "search_memories", "Find what is remembered about the person, by words and meaning.", reads()),
		tool[owner.GetInput, core.AgentMemoryDetail](s, "get_memory", "One memory, with those it is related to.", reads()),
		tool[owner.ListInput, core.AgentItems](s, "list_memories", "Memories, the newest first, in pages.", reads()),
		tool[owner.ContextInput, core.AgentContext](s, "get_context", "What an assistant should know about the person now, as one text.", reads()),
		tool[owner.FindConversationsInput, core.AgentTalks](s, "search_conversations", "Find conversations that the person had with assistants.", reads()),
		tool[owner.ConversationInput, core.AgentThread](s, "get_conversation", "Messages of a conversation, in pages.", reads()),
		tool[owner.ProposeInput, core.AgentProposed](s, "propose_memory", "Propose something lasting about the person. It waits until the person accepts it.", adds()),
		tool[owner.UpdateInput, core.AgentDone](s, "update_memory", "Correct a memory. Without permission to write, it waits until the person accepts it.", changes()),
		tool[owner.GetInput, core.AgentDone](s, "retract_memory", "Mark a memory as no longer true, likewise.", changes()),
		tool[owner.RelateInput, core.AgentDone](s, "relate_memories", "Relate two memories, likewise.", adds()),
		tool[owner.ForgetInput, core.AgentForgetAnswer](s, "forget_memories", "Ask the person to erase memories for good. Give one target.", mcp.ToolAnnotations{}),
		tool[owner.ExportInput, core.AgentDocument](s, "export_memory", "Export memories to portable MIF format", reads()),
		tool[owner.ImportInput, core.AgentImported](s, "import_memory", "Import memories from MIF format", adds()),
		tool[owner.DocumentsInput, owner.Documents](s, "search", "Find memories of the person.", reads()),
		tool[owner.GetInput, owner.Document](s, "fetch", "One memory whole.", reads()),
		tool[owner.StoreInput, core.AgentStored](s, "store_memory", "Propose a record. It waits until the person accepts it.", adds()),
		tool[owner.RetrieveInput, core.AgentRetrieved](s, "retrieve_memory", "Find records by words and meaning.", reads()),
	)
}

// interchange has the arguments of tools whose schemas MIF §8 fixes, member by member.
func interchange() map[string]*jsonschema.Schema {
	flag := func() *jsonschema.Schema {
		return &jsonschema.Schema{Type: "boolean", Default: json.RawMessage("true")}
	}
	return map[string]*jsonschema.Schema{
		"export_memory": {Type: "object", Properties: map[string]*jsonschema.Schema{
			"format":             {Type: "string", Enum: []any{"json", "yaml", "jsonl"}, Default: json.RawMessage(`"json"`)},
			"include_embeddings": flag(),
			"include_graph":      flag(),
			"since":              {Type: "string", Format: "date-time", Description: "Export memories created after this date"},
			"redact_pii":         flag(),
		}},
		"import_memory": {Type: "object", Required: []string{"data"}, Properties: map[string]*jsonschema.Schema{
			"data":           {Type: "string", Description: "MIF JSON string or file path"},
			"merge_strategy": {Type: "string", Enum: []any{"skip_duplicates", "overwrite", "rename"}, Default: json.RawMessage(`"skip_duplicates"`)},
		}},
	}
}
