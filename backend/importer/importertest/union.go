package importertest

import (
	"fmt"
	"slices"
	"testing"

	"keepsake/backend/memory"
)

// checkUnions holds that the messages of a reader are recognised in another export of
// the same conversation: any two parts of it, in either order, end in all that the two
// show, and nothing of it twice.
func checkUnions(t *testing.T, whole *Recording) {
	for _, c := range whole.Conversations {
		n := len(c.Messages)
		if n < 2 || n > 1000 {
			continue
		}
		parts := [][]memory.Message{c.Messages, c.Messages[:(n+1)/2], c.Messages[n/3:], c.Messages[n/2:], c.Messages[n/4 : n-n/4], others(c.Messages)}
		for i, newer := range parts {
			for k, older := range parts {
				one, other := &memory.Conversation{Messages: newer}, &memory.Conversation{Messages: older}
				pairs, err := memory.Pair(other.Each(), one.Each())
				if err != nil {
					t.Fatal(err)
				}
				all, err := memory.Union(newer, other.Each(), pairs)
				if err != nil {
					t.Fatal(err)
				}
				said, want := tellings(all), tellings(newer)
				for key, n := range tellings(older) {
					want[key] = max(want[key], n)
				}
				for key, n := range want {
					if said[key] != n {
						t.Fatalf("%s, parts %d and %d: %q stands %d times, not %d", c.ID, i, k, key, said[key], n)
					}
				}
				ids := map[string]bool{}
				for _, m := range all {
					if ids[m.ID] {
						t.Fatalf("%s, parts %d and %d: two messages are %s", c.ID, i, k, m.ID)
					}
					ids[m.ID] = true
				}
			}
		}
	}
}

// others is every second message.
func others(messages []memory.Message) (some []memory.Message) {
	for i := 0; i < len(messages); i += 2 {
		some = append(some, messages[i])
	}
	return slices.Clip(some)
}

// tellings counts messages by what tells them apart.
func tellings(messages []memory.Message) map[string]int {
	all := map[string]int{}
	for _, m := range messages {
		key := fmt.Sprintf("%s %s %v", m.ProviderMessageID, m.Role, m.IsThought) // under one id words may change
		if m.ProviderMessageID == "" {
			key += fmt.Sprintf(" %s %q", m.CreatedAt, m.Content.PlainText())
		}
		all[key]++
	}
	return all
}
