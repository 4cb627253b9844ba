package bridge

// QueryView selects memories. Empty members select everything.
type QueryView struct {
	Text         string   `json:"text"`
	Types        []string `json:"types"`
	Statuses     []string `json:"statuses"`
	Platforms    []string `json:"platforms"`
	Accounts     []string `json:"accounts"` // as their platforms or the person name them
	Tags         []string `json:"tags"`
	Projects     []string `json:"projects"`   // of the conversations that stated it
	Years        []int    `json:"years"`      // of createdAt
	Confidence   []string `json:"confidence"` // as of now: "high" (from 80 % on), "medium" (from 50 % on), "low"
	Conversation string   `json:"conversation"`
	HasRelations bool     `json:"hasRelations"`
	Since        string   `json:"since"`
	Until        string   `json:"until"`
	Sort         string   `json:"sort"`   // "created", "updated", "type", "platform", "confidence", with "-" before it turned round
	Offset       int      `json:"offset"` // rows to leave out
	Limit        int      `json:"limit"`  // at most 200; 0 is 200
}

// MemoryRowView is a memory in a list. Content is cut where it is long:
// Clipped says so, and Get has all of it.
type MemoryRowView struct {
	ID         string   `json:"id"`
	Type       string   `json:"type"`
	CustomType string   `json:"customType"`
	Content    string   `json:"content"`
	Clipped    bool     `json:"clipped"`
	Status     string   `json:"status"`
	Tags       []string `json:"tags"`
	Platform   string   `json:"platform"`
	CreatedAt  string   `json:"createdAt"`
	UpdatedAt  string   `json:"updatedAt"`
	Confidence float64  `json:"confidence"` // 0..1, in a list as of now; -1 where none is known
	Relations  int      `json:"relations"`
	Exportable bool     `json:"exportable"`
	Removed    bool     `json:"removed"` // the newest whole export of its account does not hold it
}

// MemoryPageView is a window on the memories a query selects.
type MemoryPageView struct {
	Items []MemoryRowView `json:"items"`
	Total int             `json:"total"`
}

// FacetsView counts memories by each facet, over the query without that facet.
type FacetsView struct {
	Types      []CountView `json:"types"`
	Statuses   []CountView `json:"statuses"`
	Platforms  []CountView `json:"platforms"`
	Accounts   []CountView `json:"accounts"` // the 100 with the most
	Tags       []CountView `json:"tags"`     // the 100 most used
	Projects   []CountView `json:"projects"` // the 100 with the most
	Years      []CountView `json:"years"`    // the newest first
	Confidence []CountView `json:"confidence"`
	Related    int         `json:"related"`
}

// MemoryView is a memory with what stands around it.
type MemoryView struct {
	ID           string                `json:"id"`
	Type         string                `json:"type"`
	CustomType   string                `json:"customType"`
	Content      string                `json:"content"`
	ContentHash  string                `json:"contentHash"`
	Summary      string                `json:"summary"`
	Domain       string                `json:"domain"`   // metadata.domain
	Language     string                `json:"language"` // metadata.language
	Status       string                `json:"status"`
	Tags         []string              `json:"tags"`
	CreatedAt    string                `json:"createdAt"`
	CreatedFrom  string                `json:"createdFrom"` // "export" or "import", where createdAt is when that was made
	UpdatedAt    string                `json:"updatedAt"`
	ValidFrom    string                `json:"validFrom"`
	ValidUntil   string                `json:"validUntil"`
	SupersededBy string                `json:"supersededBy"`
	Provenance   ProvenanceView        `json:"provenance"`
	Confidence   *ConfidenceView       `json:"confidence,omitempty"`
	Visibility   string                `json:"visibility"`
	Exportable   bool                  `json:"exportable"`
	SharedWith   []GrantView           `json:"sharedWith"`
	Metadata     []PairView            `json:"metadata"`
	Relations    []RelatedView         `json:"relations"`
	Conversation *ConversationHeadView `json:"conversation,omitempty"`
	Sources      []SourceView          `json:"sources"`
	Corrected    bool                  `json:"corrected"` // by the person: no source states these words
	Next         []string              `json:"next"`      // legal steps of the lifecycle
	Was          string                `json:"was"`       // the status before the last step, which can be taken back; "" where none is kept
	Versions     int                   `json:"versions"`
	Removed      bool                  `json:"removed"`              // the newest whole export of its account does not hold it
	Importance   *float64              `json:"importance,omitempty"` // from 0 to 1; absent where nobody said
	Reads        int64                 `json:"reads"`                // before this one
	LastRead     string                `json:"lastRead"`
}

// ProvenanceView says where a memory came from.
type ProvenanceView struct {
	Platform        string `json:"platform"`
	PlatformUserID  string `json:"platformUserId"`
	ConversationRef string `json:"conversationRef"`
	MessageRef      string `json:"messageRef"`
	Method          string `json:"method"`
	ExtractedAt     string `json:"extractedAt"`
	Extractor       string `json:"extractor"`
}

// ConfidenceView is computed by the system, 0..1. Now is as of this moment.
type ConfidenceView struct {
	Now        float64 `json:"now"`
	DecayModel string  `json:"decayModel"`
	// Curve is what it was and will be, evenly apart from the last reinforcement
	// on; empty where it does not decay. At is where this moment is, 0 at the first
	// value and 1 at the last.
	Curve []float64 `json:"curve"`
	At    float64   `json:"at"`
}

// GrantView gives an entity permissions.
type GrantView struct {
	Entity      string   `json:"entity"`
	Permissions []string `json:"permissions"`
}

// AccountView is an account of a platform, by the id that views name it by.
type AccountView struct {
	ID       string `json:"id"`
	Platform string `json:"platform"`
	Name     string `json:"name"` // what an export calls it, "" where none said
}

// TypeView is a type that memories can have. Description is in the words of who
// gave it, "" where nobody did; Own says that it was described here.
type TypeView struct {
	Type        string `json:"type"`
	CustomType  string `json:"customType"`
	Description string `json:"description"`
	Status      string `json:"status"` // "standard", "candidate", "registered", "unregistered"
	Own         bool   `json:"own"`
	Memories    int    `json:"memories"`
}

// RelatedView is one relation seen from a memory.
type RelatedView struct {
	ID        string        `json:"id"`
	Type      string        `json:"type"`
	Outgoing  bool          `json:"outgoing"`
	CreatedAt string        `json:"createdAt"`
	Other     MemoryRowView `json:"other"`
	Words     []string      `json:"words"` // that sources had for it
}

// SourceView is one statement of a memory by a provider.
type SourceView struct {
	Platform        string `json:"platform"`
	Account         string `json:"account"` // of the platform, "" where it is not known
	ImportID        string `json:"importId"`
	ConversationRef string `json:"conversationRef"`
	MessageRef      string `json:"messageRef"`
	SaidAt          string `json:"saidAt"`
}

// NewMemoryView is a memory a person writes by hand. Conversation and Message say
// where its words were read, "" for nowhere.
type NewMemoryView struct {
	Type         string   `json:"type"`
	CustomType   string   `json:"customType"`
	Content      string   `json:"content"`
	Tags         []string `json:"tags"`
	Conversation string   `json:"conversation,omitempty"`
	Message      string   `json:"message,omitempty"`
}

// EditView changes what is present; "" in a validity bound clears it, an empty
// list of tags removes them all.
type EditView struct {
	Content    *string  `json:"content,omitempty"`
	Type       *string  `json:"type,omitempty"`
	CustomType *string  `json:"customType,omitempty"`
	Summary    *string  `json:"summary,omitempty"`
	Domain     *string  `json:"domain,omitempty"`
	Language   *string  `json:"language,omitempty"`
	Tags       []string `json:"tags,omitempty"`
	Importance *float64 `json:"importance,omitempty"` // from 0 to 1; below 0 clears it
	ValidFrom  *string  `json:"validFrom,omitempty"`
	ValidUntil *string  `json:"validUntil,omitempty"`
	Visibility *string  `json:"visibility,omitempty"`
	Exportable *bool    `json:"exportable,omitempty"`
}

// ChangeView is one thing that can be undone; ID is "" where there is none.
type ChangeView struct {
	ID       string   `json:"id"`
	At       string   `json:"at"`
	Kind     string   `json:"kind"` // "add", "edit", "set-status", "relate", "relation-kind", "unrelate", "import"
	Subjects []string `json:"subjects"`
	Kept     int      `json:"kept,omitempty"` // left as they stand, because they were changed since
}

// UndoView says what taking an import back takes out, puts back and leaves.
type UndoView struct {
	ImportID          string          `json:"importId"`
	Conversations     int             `json:"conversations"`
	Messages          int             `json:"messages"`
	Memories          int             `json:"memories"`
	Relations         int             `json:"relations"`
	Proposals         int             `json:"proposals"`
	Attachments       int             `json:"attachments"`
	ConversationsBack int             `json:"conversationsBack"`
	MemoriesBack      int             `json:"memoriesBack"`
	Shared            int             `json:"shared"` // came from another import, too
	Kept              int             `json:"kept"`   // edited since
	Edited            []ForgottenView `json:"edited"` // the first of those
}

// ConversationQueryView selects conversations.
type ConversationQueryView struct {
	Text      string   `json:"text"` // in the title
	Platforms []string `json:"platforms"`
	Accounts  []string `json:"accounts"`
	Since     string   `json:"since"`
	Until     string   `json:"until"`
	Sort      string   `json:"sort"` // "updated", "created", "title", "messages", with "-" before it turned round
	Offset    int      `json:"offset"`
	Limit     int      `json:"limit"` // at most 200; 0 is 200
}

// ConversationHeadView is a row of the list.
type ConversationHeadView struct {
	ID            string `json:"id"`
	Platform      string `json:"platform"`
	Title         string `json:"title"`
	CreatedAt     string `json:"createdAt"`
	UpdatedAt     string `json:"updatedAt"`
	Messages      int    `json:"messages"`
	Branches      int    `json:"branches"` // messages off the active path
	Derived       int    `json:"derived"`  // memories that came from it
	Model         string `json:"model"`
	Project       string `json:"project"`
	Account       string `json:"account"` // of the platform, "" where it is not known
	Archived      bool   `json:"archived"`
	TimeIsDerived bool   `json:"timeIsDerived"`
	Removed       bool   `json:"removed"` // the newest whole export of its account does not hold it
	ImportID      string `json:"importId"`
}

// ConversationPageView is a window on conversations.
type ConversationPageView struct {
	Items []ConversationHeadView `json:"items"`
	Total int                    `json:"total"`
}

// ThreadView is one way through a conversation. Messages may hold fewer than
// were asked for, so that one answer stays small: ask again from Offset plus
// their number until Total is reached.
type ThreadView struct {
	Head     ConversationHeadView `json:"head"`
	Messages []MessageView        `json:"messages"`
	Offset   int                  `json:"offset"`
	Total    int                  `json:"total"`
	Said     int                  `json:"said"` // of them, those that a person sees
	Leaf     string               `json:"leaf"`
	At       int                  `json:"at"`     // where the message given as leaf stands among all; -1 for none
	Shared   []string             `json:"shared"` // addresses under which it was shown to others; never fetched
	// Continues is what the conversation goes on from, absent where that is not here.
	Continues *ContinuedView `json:"continues,omitempty"`
}

// ContinuedView is the conversation that one goes on from, and the message there, ""
// where only the conversation is known.
type ContinuedView struct {
	ID      string `json:"id"`
	Message string `json:"message"`
}

// MessageView is a message and, at a fork, its siblings in order, itself
// included; Siblings is empty where there is no fork. Passing a sibling's id
// as leaf to Thread shows the way through it.
type MessageView struct {
	ID          string           `json:"id"`
	Role        string           `json:"role"` // "user", "assistant", "system", "tool"
	CreatedAt   string           `json:"createdAt"`
	Model       string           `json:"model"`
	IsThought   bool             `json:"isThought"`
	Hidden      string           `json:"hidden"` // why the provider does not show it: "context", "flag", …; "" when it does
	Parts       []PartView       `json:"parts"`
	Attachments []AttachmentView `json:"attachments"`
	Citations   []CitationView   `json:"citations"`
	ToolCalls   []ToolCallView   `json:"toolCalls"`
	Siblings    []string         `json:"siblings"`
	Memories    []string         `json:"memories"`
	Rating      *RatingView      `json:"rating,omitempty"`
}

// RatingView is what the person thought of an answer, and wrote beside it.
type RatingView struct {
	Good  bool   `json:"good"`
	Words string `json:"words"`
}

// StandsView are the messages of a thread in which a text stands: their places on it,
// and how often it stands in each.
type StandsView struct {
	At    []int `json:"at"`
	Times []int `json:"times"`
}

// TextView is a piece of a text; Further gives the rest, piece by piece.
type TextView struct {
	Text    string `json:"text"`
	Clipped bool   `json:"clipped"` // the text goes on
	Next    int    `json:"next"`    // the byte at which it does
}

// PartView is one piece of a message: "text", "code", "image", "file",
// "audio" or "video". URL is set where the vault holds its bytes.
type PartView struct {
	Type     string `json:"type"`
	Text     string `json:"text"`
	Clipped  bool   `json:"clipped"` // the text goes on; Further gives the rest, piece by piece
	Next     int    `json:"next"`    // the byte at which it goes on
	Language string `json:"language"`
	MIMEType string `json:"mimeType"`
	URL      string `json:"url"`
}

// AttachmentView is a file of a message. URL is "" when the export did not
// hold it. Size is -1 when unknown.
type AttachmentView struct {
	Type     string `json:"type"`
	Name     string `json:"name"`
	MIMEType string `json:"mimeType"`
	Size     int64  `json:"size"`
	URL      string `json:"url"`
}

// CitationView is a source an answer named.
type CitationView struct {
	Title   string `json:"title"`
	URL     string `json:"url"`
	Snippet string `json:"snippet"`
}

// ToolCallView is a tool an assistant used; Input is text or JSON text.
type ToolCallView struct {
	ID     string   `json:"id"`
	Name   string   `json:"name"`
	Input  TextView `json:"input"`
	Output TextView `json:"output"`
}

// LinkView is an outside address before it is opened: Host in ASCII, so that
// lookalike letters show.
type LinkView struct {
	URL    string `json:"url"`
	Scheme string `json:"scheme"`
	Host   string `json:"host"`
}
