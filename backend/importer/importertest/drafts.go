package importertest

import (
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"keepsake/backend/importer"
	"keepsake/backend/memory"
)

var (
	idForm       = regexp.MustCompile(`^[a-z0-9-]+$`)
	platformForm = regexp.MustCompile(`^[a-z0-9_-]{2,32}$`)
	tagForm      = regexp.MustCompile(`^[a-z0-9][a-z0-9_-]*$`)
)

func checkInfo(t *testing.T, i importer.Info) {
	if !idForm.MatchString(i.ID) || i.Name == "" || i.Platform != "" && !platformForm.MatchString(i.Platform) || !strings.HasPrefix(i.Version, i.ID+"/20") {
		t.Errorf("info %+v", i)
	}
}

// CheckDrafts holds what the receiving side relies on.
func CheckDrafts(t *testing.T, info importer.Info, r *Recording) {
	seen := map[string]bool{}
	refs := map[string]bool{"": true}
	for _, a := range r.Attachments {
		refs[a.Ref] = true
	}
	for i := range r.Conversations {
		c := &r.Conversations[i]
		if seen[c.ID] {
			t.Errorf("conversation %s twice", c.ID)
		}
		seen[c.ID] = true
		checkConversation(t, info, c)
		checkGraph(t, c)
		checkFiles(t, c, refs)
	}
	keys := map[string]bool{}
	for _, m := range r.Memories {
		if keys[m.SourceKey] {
			t.Errorf("memory %q twice", m.SourceKey)
		}
		keys[m.SourceKey] = true
		checkMemory(t, r, m)
	}
	checkWhole(t, r)
}

func checkConversation(t *testing.T, info importer.Info, c *Conversation) {
	if info.Platform != "" && c.Provider.Name != info.Platform || c.File == "" || c.Sum == ([32]byte{}) {
		t.Errorf("%s: provider %q, file %q, or no sum", c.ID, c.Provider.Name, c.File)
	}
	if strings.ContainsAny(c.Title, "\n\r") || !utf8.ValidString(c.Title) {
		t.Errorf("%s: title %q", c.ID, c.Title)
	}
	if c.Temporal.CreatedAt.IsZero() != (c.TimeSource == "none") {
		t.Errorf("%s: created %v, source %q", c.ID, c.Temporal.CreatedAt, c.TimeSource)
	}
}

// checkGraph holds that parents and children agree and every walk up ends.
func checkGraph(t *testing.T, c *Conversation) {
	at := map[string]memory.Message{}
	for _, m := range c.Messages {
		if _, twice := at[m.ID]; twice || m.ID == "" {
			t.Errorf("%s: message id %q twice or empty", c.ID, m.ID)
		}
		at[m.ID] = m
	}
	for _, m := range c.Messages {
		if p, ok := at[m.ParentID]; m.ParentID != "" && (!ok || !slices.Contains(p.ChildrenIDs, m.ID)) {
			t.Errorf("%s: %s is no child of %q", c.ID, m.ID, m.ParentID)
		}
		for _, child := range m.ChildrenIDs {
			if at[child].ParentID != m.ID {
				t.Errorf("%s: %s is not the parent of %q", c.ID, m.ID, child)
			}
		}
		if !slices.Contains([]memory.Role{memory.User, memory.Assistant, memory.System, memory.Tool}, m.Role) {
			t.Errorf("%s: role %q", c.ID, m.Role)
		}
	}
	if _, ok := at[c.Leaf]; len(c.Messages) > 0 && !ok {
		t.Errorf("%s: leaf %q is no message", c.ID, c.Leaf)
	}
	checkWalks(t, c, at)
}

func checkWalks(t *testing.T, c *Conversation, at map[string]memory.Message) {
	rooted := map[string]bool{"": true}
	for _, m := range c.Messages {
		var walk []string
		for id := m.ID; !rooted[id]; id = at[id].ParentID {
			if walk = append(walk, id); len(walk) > len(c.Messages) {
				t.Fatalf("%s: %s walks in a circle", c.ID, m.ID)
			}
		}
		for _, id := range walk {
			rooted[id] = true
		}
	}
}

func checkFiles(t *testing.T, c *Conversation, refs map[string]bool) {
	for _, m := range c.Messages {
		for _, a := range m.Attachments {
			if !refs[a.Ref] || !slices.Contains([]string{"file", "image", "audio", "video", "document"}, a.Type) {
				t.Errorf("%s: attachment %+v", c.ID, a)
			}
		}
		for _, call := range m.ToolCalls {
			if in := call.Input; call.Name == "" || len(in) > 0 && in[0] != '{' && in[0] != '"' {
				t.Errorf("%s: tool call %q with %s", c.ID, call.Name, call.Input)
			}
		}
	}
}

// checkMemory holds that a statement says who made it and how sure it is.
func checkMemory(t *testing.T, r *Recording, m importer.MemoryDraft) {
	switch {
	case m.SourceKey == "" || strings.TrimSpace(m.Content) == "" || !utf8.ValidString(m.Content):
		t.Errorf("memory %q: %q", m.SourceKey, m.Content)
	case !slices.Contains(memory.Types(), m.Type) || m.Type == memory.Custom:
		t.Errorf("%s: type %q", m.SourceKey, m.Type)
	case !slices.Contains([]memory.Method{memory.ExplicitUserInput, memory.APIExport, memory.LLMInference}, m.Method):
		t.Errorf("%s: method %q", m.SourceKey, m.Method)
	case m.Confidence <= 0 || m.Confidence > 1:
		t.Errorf("%s: confidence %v", m.SourceKey, m.Confidence)
	case m.ConversationID == "" && m.PlatformUserID == "" && len(m.Metadata) == 0:
		t.Errorf("%s comes from nowhere", m.SourceKey)
	}
	for _, tag := range m.Tags {
		if !tagForm.MatchString(tag) {
			t.Errorf("%s: tag %q", m.SourceKey, tag)
		}
	}
	if m.ConversationID != "" {
		checkSource(t, r, m)
	}
}

// checkWhole holds what the receiving side relies on of whole memories: an id,
// words, an owner whose ids they are, relations between them (without an end or a
// time only where its words are given beside it), and vectors of theirs.
func checkWhole(t *testing.T, r *Recording) {
	for _, d := range r.Records {
		if d.ID == "" || d.Content == "" || d.Status == "" || !utf8.ValidString(d.Content) {
			t.Errorf("record %q: %q is %q", d.ID, d.Content, d.Status)
		}
	}
	for _, d := range r.Relations {
		if b := d.Between; b != nil {
			if d.Type == "" || b.From == "" || b.To == "" || b.Word == "" || b.Otherwise.Content == "" || b.Otherwise.SourceKey == "" {
				t.Errorf("relation %+v", d)
			}
			continue
		}
		lacks := d.From == "" || d.To == "" || d.CreatedAt.IsZero()
		if d.ID == "" || !slices.Contains(memory.RelationTypes(), d.Type) || lacks && d.Loose == "" {
			t.Errorf("relation %+v", d)
		}
	}
	records := map[string]bool{}
	for _, d := range r.Records {
		records[d.ID] = true
	}
	for _, d := range r.Embeddings {
		if !records[d.MemoryID] || d.Vector != nil && len(d.Vector) != d.Dimensions || d.Vector == nil && d.StorageRef == "" {
			t.Errorf("embedding %+v", d)
		}
	}
}

// checkSource holds that the message a memory names was given.
func checkSource(t *testing.T, r *Recording, m importer.MemoryDraft) {
	for i := range r.Conversations {
		if c := &r.Conversations[i]; c.ID == m.ConversationID {
			if m.MessageID != "" && c.Message(m.MessageID) == nil {
				t.Errorf("%s names message %q, which %s does not have", m.SourceKey, m.MessageID, c.ID)
			}
			return
		}
	}
	t.Errorf("%s names conversation %s, which was not given", m.SourceKey, m.ConversationID)
}
