package bridge

// MemoryChangeView is how one change made a memory differ from what it was; Ours
// is before it.
type MemoryChangeView struct {
	At     string            `json:"at"`
	Fields []FieldChangeView `json:"fields"`
}

// ManyEditView is one change of many memories, named by their ids or, where there
// are none, by a query without regard to its window. What is empty stays.
type ManyEditView struct {
	IDs        []string  `json:"ids"`
	Query      QueryView `json:"query"`
	AddTags    []string  `json:"addTags"`
	RemoveTags []string  `json:"removeTags"`
	Exportable *bool     `json:"exportable,omitempty"`
	Status     string    `json:"status"`
	UndoStatus bool      `json:"undoStatus"` // takes the last step of the lifecycle back
	Type       string    `json:"type"`
	CustomType string    `json:"customType"` // of type "custom"
}

// ManyChangedView counts what became of them.
type ManyChangedView struct {
	Changed int `json:"changed"`
	Left    int `json:"left"`
}

// SavedQueryView is a query under a name.
type SavedQueryView struct {
	Name  string    `json:"name"`
	Query QueryView `json:"query"`
}

// GraphView is a window on memories as points and what joins them as lines, relations first.
type GraphView struct {
	Nodes      []GraphNodeView `json:"nodes"`
	Edges      []GraphEdgeView `json:"edges"`
	TotalNodes int             `json:"totalNodes"`
	TotalEdges int             `json:"totalEdges"`
}

// GraphNodeView is a memory as a point; Label is how its text begins.
type GraphNodeView struct {
	ID       string `json:"id"`
	Type     string `json:"type"`
	Status   string `json:"status"`
	Platform string `json:"platform"`
	Label    string `json:"label"`
	Topic    string `json:"topic"` // "": in none
	Degree   int    `json:"degree"`
}

// GraphEdgeView joins two points: the type of a relation, "same_conversation" or
// "near_in_meaning".
type GraphEdgeView struct {
	From string `json:"from"`
	To   string `json:"to"`
	Type string `json:"type"`
}

// TopicsView is what the active memories are about, the largest topic first. Missing records
// are not compared yet.
type TopicsView struct {
	Topics  []CountView `json:"topics"`
	Missing int         `json:"missing"`
}

// InsightsView is what there is to say of a vault as a whole. Of what is counted
// by month or day the oldest comes first; Confidence counts active memories in
// tenths.
type InsightsView struct {
	Memories      int              `json:"memories"`
	Types         []TypeCountView  `json:"types"`
	Months        []MonthCountView `json:"months"`
	Confidence    []int            `json:"confidence"`
	Fading        int              `json:"fading"`
	Stale         int              `json:"stale"`
	Contradicting int              `json:"contradicting"`
	Exportable    int              `json:"exportable"`
	Days          []DayCountView   `json:"days"`
	Models        []CountView      `json:"models"`
	Focus         []FocusView      `json:"focus"`
}

// FocusView says that most memories of a platform are in a chapter of the portrait: Count Of all, or of
// those made since a month, of those before only Before OfBefore.
type FocusView struct {
	Platform string `json:"platform"`
	Chapter  string `json:"chapter"`
	Count    int    `json:"count"`
	Of       int    `json:"of"`
	Since    string `json:"since"` // "2026-05", or "" of all
	Before   int    `json:"before"`
	OfBefore int    `json:"ofBefore"`
}

// TypeCountView counts the memories of a type by their status.
type TypeCountView struct {
	Type     string      `json:"type"`
	Statuses []CountView `json:"statuses"`
}

// MonthCountView counts the memories of a platform that were made in a month.
type MonthCountView struct {
	Month    string `json:"month"` // "2026-03"
	Platform string `json:"platform"`
	Count    int    `json:"count"`
}

// DayCountView counts the conversations that began on a day, and their messages.
type DayCountView struct {
	Day           string `json:"day"` // "2026-03-01"
	Conversations int    `json:"conversations"`
	Messages      int    `json:"messages"`
}
