package core

import "keepsake/backend/core/rows"

// answers are the results of the last queries of each kind. They are shared: they are
// only to be read.
type answers struct {
	orders   lruCache[[]*rows.Memory]
	tops     lruCache[top]
	facets   lruCache[Facets]
	talks    lruCache[[]listed]
	insights lruCache[Insights]
	graphs   lruCache[*graph] // of the conversations that were read last
}
