package browse

import (
	"keepsake/backend/core/library"
	"keepsake/backend/core/rows"
)

// answers are the results of the last queries of each kind. They are shared: they are
// only to be read.
type answers struct {
	orders   library.LRUCache[[]*rows.Memory]
	tops     library.LRUCache[top]
	facets   library.LRUCache[Facets]
	talks    library.LRUCache[[]sortableConversation]
	insights library.LRUCache[Insights]
	graphs   library.LRUCache[*graph] // of the conversations that were read last
}
