package browse

import (
	"keepsake/backend/core/library"
	"keepsake/backend/core/rows"
)

// answers caches the results of the last queries of each kind. Callers share the cached
// values and must not modify them.
type answers struct {
	orders        library.LRUCache[[]*rows.Memory]
	tops          library.LRUCache[top]
	facets        library.LRUCache[Facets]
	talks         library.LRUCache[[]sortableConversation]
	insights      library.LRUCache[Insights]
	conversations library.LRUCache[[]GraphEdge] // edges between memories of one
	graphs        library.LRUCache[*graph]      // message graphs of the conversations opened last
}
