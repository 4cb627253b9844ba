package gen

// Truth is what a generated export holds.
type Truth struct {
	Account       string
	Conversations []Talk
	Memories      []Fact
	Forgotten     []string // facts that a later message asks to forget
	Attachments   int      // files that messages name and the export holds, each once
	Missing       int      // files that messages name and the export does not hold
	Remarks       int      // ratings, choices and shared links, each of one conversation
	// Unread are the rows that no reader understands, by the kind they are counted
	// as; nil for none. Records has them, too.
	Unread map[string]int
	// Others are the files that nothing is read of.
	Others int
	// Records is everything that the ledger must account for: messages, thoughts,
	// memories, and what is left out for a reason.
	Records  int
	Messages int // nodes of all graphs, roots without message included
	Empty    int // of them, nodes in which nothing is said
}

// Talk is a planted conversation.
type Talk struct {
	ID       string   // the provider's
	Title    string   // as a reader should show it
	Messages int      // nodes, roots without message included
	Leaf     string   // end of the active path
	Path     []string // ids from the root to Leaf
	Said     []string // texts of the person on that path
}

// Fact is a planted explicit memory. The same content may stand in several.
type Fact struct {
	Content string
	Talk    string // the provider's id of the conversation
}

// plant notes a memory of no conversation.
func (t *Truth) plant(content string) string {
	t.Memories = append(t.Memories, Fact{Content: content})
	return content
}

// Contents lists the different memories, in order of their first appearance.
func (t Truth) Contents() []string {
	var all []string
	seen := map[string]bool{}
	for _, f := range t.Memories {
		if !seen[f.Content] {
			seen[f.Content] = true
			all = append(all, f.Content)
		}
	}
	return all
}
