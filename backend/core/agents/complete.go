package agents

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"

	"keepsake/backend/core/library"
	"keepsake/backend/core/rows"
)

// Tags are tags of memories that an agent may see, those of the most memories first.
type Tags struct {
	Tags  []string `json:"tags"`
	Total int      `json:"total"` // with those that had no room
}

// mostTags is how many tags an answer has: the Model Context Protocol allows no more.
const mostTags = 100

// AgentTags lists the tags with a prefix by which the agent finds memories. The call is in the log, and
// its bytes count in the budget, as of any other. It gives no memory: the answer does not tell which ones
// have a tag, so that none counts in the budget, is named in the log, or was used.
func (s *Service) AgentTags(ctx context.Context, name, prefix string) (Tags, error) {
	return answer(ctx, s, name, "complete", Read, func(ctx context.Context, q *question) (out Tags, err error) {
		err = q.see(ctx, func(sees *sight) error {
			counts := sees.tags(library.Fold(strings.TrimSpace(prefix)))
			if changesOf(sees.v.Rows) != sees.since { // a row may be newer than what was let be seen
				return errChanged()
			}
			all := slices.SortedFunc(maps.Keys(counts), func(a, b string) int {
				return cmp.Or(cmp.Compare(counts[b], counts[a]), cmp.Compare(a, b))
			})
			out = Tags{append([]string{}, all[:min(len(all), mostTags)]...), len(all)}
			return nil
		})
		return out, err
	})
}

// tags counts, by tag, the memories that the agent finds by it.
func (s *sight) tags(prefix string) map[string]int {
	counts := map[string]int{}
	for seq := range s.may {
		row := s.rowAt(seq)
		if row == nil || !slices.ContainsFunc(row.Tags, func(tag string) bool { return strings.HasPrefix(library.Fold(tag), prefix) }) || s.hidesTags(row) {
			continue
		}
		for _, tag := range row.Tags {
			if strings.HasPrefix(library.Fold(tag), prefix) && visible(tag) == tag {
				counts[tag]++
			}
		}
	}
	return counts
}

// hidesTags reports whether a memory has a hidden place in its tags or its platform: then the agent finds
// it by none of them.
func (s *sight) hidesTags(row *rows.Memory) bool {
	return slices.ContainsFunc(append([]string{row.Platform}, row.Tags...), func(text string) bool {
		hides, known := s.hides[text]
		if !known {
			_, places := s.hide(text)
			hides = places > 0
			s.hides[text] = hides
		}
		return hides
	})
}
