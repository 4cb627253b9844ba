package owner

import (
	"context"
	"strings"
	"unicode/utf8"

	"keepsake/backend/core"
	"keepsake/backend/product"
)

// Tools that do what others do in other words. An assistant has them only where its command names
// them (mcp --only), as each takes room in the list.

// DocumentsInput is what search takes.
type DocumentsInput struct {
	Query string `json:"query"`
}

// Documents is what search answers: the form that clients ask for which know only search and fetch.
type Documents struct {
	Results []Document `json:"results"`
}

// Document is a memory as a document with an address.
type Document struct {
	ID    string `json:"id"`
	Title string `json:"title"`
	URL   string `json:"url"`
	Text  string `json:"text,omitempty"` // of fetch
}

// MemoryURI is followed by the id of a memory in its address.
const MemoryURI = product.Program + "://memory/"

// titleLength is how many characters of a memory are its title.
const titleLength = 80

// StoreInput is a StoreMemoryRequest of the Personal Memory Specification.
type StoreInput struct {
	User        string   `json:"user_id,omitempty" jsonschema:"not looked at: a vault has one person"`
	Category    string   `json:"category" jsonschema:"conversation, work_pattern, preference or learned_context"`
	ContentType string   `json:"content_type" jsonschema:"transcript, summary, fact, preference or pattern"`
	Content     string   `json:"content"`
	Session     string   `json:"session_id,omitempty"`
	Channel     string   `json:"channel,omitempty" jsonschema:"slack, teams, email or web"`
	Message     string   `json:"source_msg_id,omitempty"`
	Tags        []string `json:"topic_tags,omitempty"`
	Importance  *float64 `json:"importance_score,omitempty" jsonschema:"0 to 1"`
}

// RetrieveInput is a RetrieveMemoryRequest of the Personal Memory Specification.
type RetrieveInput struct {
	User          string    `json:"user_id,omitempty" jsonschema:"not looked at: a vault has one person"`
	Query         string    `json:"query"`
	Categories    []string  `json:"category_filter,omitempty"`
	Limit         int       `json:"max_results,omitempty" jsonschema:"10 unless given, 50 at most"`
	MinSimilarity float64   `json:"min_similarity,omitempty" jsonschema:"0.7 unless given"`
	Range         TimeRange `json:"time_range,omitzero"`
}

// TimeRange bounds when memories were created.
type TimeRange struct {
	After  string `json:"after,omitempty" jsonschema:"RFC 3339"`
	Before string `json:"before,omitempty" jsonschema:"RFC 3339"`
}

func alternatives() []tool {
	return []tool{
		typed("search", permits(core.AgentMayRead), searchDocuments),
		typed("fetch", permits(core.AgentMayRead), fetchDocument),
		typed("store_memory", permits(core.AgentMayPropose), func(ctx context.Context, service *core.Service, agent string, in StoreInput) (core.AgentStored, error) {
			return service.AgentStore(ctx, agent, core.AgentStore{Content: in.Content, Tags: in.Tags, As: core.AgentStoredAs{
				Category: core.Category(in.Category), ContentType: core.ContentType(in.ContentType), Channel: in.Channel, Session: in.Session, Message: in.Message, Importance: in.Importance,
			}})
		}),
		typed("retrieve_memory", permits(core.AgentMayRead), retrieveMemory),
	}
}

func searchDocuments(ctx context.Context, service *core.Service, agent string, in DocumentsInput) (Documents, error) {
	found, err := service.AgentSearch(ctx, agent, core.AgentSearch{Text: in.Query})
	out := Documents{Results: []Document{}}
	for _, it := range found.Memories {
		out.Results = append(out.Results, documentOf(it))
	}
	return out, err
}

func fetchDocument(ctx context.Context, service *core.Service, agent string, in GetInput) (Document, error) {
	found, err := service.AgentMemory(ctx, agent, in.ID)
	d := documentOf(found.Item)
	d.Text = found.Content
	return d, err
}

func documentOf(it core.AgentItem) Document {
	title := strings.Join(strings.Fields(it.Content), " ")
	if utf8.RuneCountInString(title) > titleLength {
		title = string([]rune(title)[:titleLength-1]) + "…"
	}
	return Document{ID: it.ID, Title: title, URL: MemoryURI + it.ID}
}

func retrieveMemory(ctx context.Context, service *core.Service, agent string, in RetrieveInput) (core.AgentRetrieved, error) {
	within, err := scope(nil, nil, "", in.Range.After, in.Range.Before)
	if err != nil {
		return core.AgentRetrieved{}, err
	}
	ask := core.AgentRetrieve{Query: in.Query, Limit: in.Limit, MinSimilarity: in.MinSimilarity, After: within.Since, Before: within.Until}
	for _, c := range in.Categories {
		ask.Categories = append(ask.Categories, core.Category(c))
	}
	return service.AgentRetrieve(ctx, agent, ask)
}
