package memory

// TodoStatus is how far a task is (MIF §4).
type TodoStatus string

const (
	Backlog    TodoStatus = "backlog"
	ToDo       TodoStatus = "todo"
	InProgress TodoStatus = "in_progress"
	Blocked    TodoStatus = "blocked"
	Done       TodoStatus = "done"
	Cancelled  TodoStatus = "cancelled"
)

// TodoStatuses lists the six in the specification's order.
func TodoStatuses() []TodoStatus {
	return []TodoStatus{Backlog, ToDo, InProgress, Blocked, Done, Cancelled}
}

// IsOpen reports that something is left to do.
func (s TodoStatus) IsOpen() bool { return s != Done && s != Cancelled }

// Priority of a task (MIF §4).
type Priority string

const (
	Urgent     Priority = "urgent"
	High       Priority = "high"
	Medium     Priority = "medium"
	Low        Priority = "low"
	NoPriority Priority = "none"
)

// Priorities lists the five, the most pressing first.
func Priorities() []Priority { return []Priority{Urgent, High, Medium, Low, NoPriority} }

// Todo is a task of the Memory Interchange Format. PAM has none.
type Todo struct {
	ID          string     `json:"id"`
	Content     string     `json:"content"`
	Status      TodoStatus `json:"status"`
	Priority    Priority   `json:"priority"`
	CreatedAt   Time       `json:"created_at"`
	UpdatedAt   Time       `json:"updated_at,omitzero"`
	DueDate     Time       `json:"due_date,omitzero"`
	CompletedAt Time       `json:"completed_at,omitzero"`
	Project     string     `json:"project,omitempty"` // its name
	Contexts    []string   `json:"contexts,omitempty"`
	Tags        []string   `json:"tags,omitempty"`
	Notes       string     `json:"notes,omitempty"`
	// Related are ids of memories.
	Related []string `json:"related_memory_ids,omitempty"`
	// MIF is what else the document said of it, as a text of JSON.
	MIF string `json:"mif,omitempty"`
}
