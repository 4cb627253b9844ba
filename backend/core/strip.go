package core

import (
	"strconv"

	"keepsake/backend/memory"
)

// stripConversation takes out every id that a provider gave: of the account,
// the conversation, its messages, files and calls, and the raw members that
// may hold more of them. Messages are numbered instead, so that the threads
// between them stay.
func stripConversation(c *memory.Conversation) {
	c.Provider.ConversationID, c.Provider.AccountID = "", ""
	c.RawMetadata = nil
	for i := range c.Participants {
		c.Participants[i].ProviderID = ""
	}
	numbers := make(map[string]string, len(c.Messages))
	for i, m := range c.Messages {
		numbers[m.ID] = "m" + strconv.Itoa(i+1)
	}
	c.Leaf = numbers[c.Leaf]
	for i := range c.Messages {
		stripMessage(&c.Messages[i], numbers)
	}
}

func stripMessage(m *memory.Message, numbers map[string]string) {
	m.ID, m.ParentID, m.ProviderMessageID, m.RawMetadata = numbers[m.ID], numbers[m.ParentID], "", nil
	children := m.ChildrenIDs[:0:0]
	for _, id := range m.ChildrenIDs {
		if n := numbers[id]; n != "" {
			children = append(children, n)
		}
	}
	m.ChildrenIDs = children
	for i := range m.Attachments {
		m.Attachments[i].ProviderID = ""
	}
	for i := range m.ToolCalls {
		m.ToolCalls[i].ID = ""
	}
}
