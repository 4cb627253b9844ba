// Package schemas holds the JSON Schemas (Draft 2020-12) of Portable AI Memory
// v1.0 and of the Memory Interchange Format, written from their field tables, and
// embeds them.
package schemas

import "embed"

// Names of the files in FS, those of PAM as §2 gives them.
const (
	MemoryStore  = "portable-ai-memory.schema.json"
	Conversation = "portable-ai-memory-conversation.schema.json"
	Embeddings   = "portable-ai-memory-embeddings.schema.json"
	MIF1         = "mif-v1.schema.json"
	MIF2         = "mif-v2.schema.json"
)

// FS holds the files.
//
//go:embed *.schema.json
var FS embed.FS
