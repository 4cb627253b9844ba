// Package schemas holds the JSON Schemas (Draft 2020-12) of Portable AI Memory
// v1.0, written from its field tables, and embeds them.
package schemas

import "embed"

// Names of the files in FS, as PAM §2 gives them.
const (
	MemoryStore  = "portable-ai-memory.schema.json"
	Conversation = "portable-ai-memory-conversation.schema.json"
	Embeddings   = "portable-ai-memory-embeddings.schema.json"
)

// FS holds the three files.
//
//go:embed *.schema.json
var FS embed.FS
