package memory

// Type is the closed taxonomy of PAM §5.
type Type string

const (
	Fact         Type = "fact"
	Preference   Type = "preference"
	Skill        Type = "skill"
	Context      Type = "context"
	Relationship Type = "relationship"
	Goal         Type = "goal"
	Instruction  Type = "instruction"
	Identity     Type = "identity"
	Environment  Type = "environment"
	Project      Type = "project"
	Custom       Type = "custom" // requires Record.CustomType (§5.1)
)

// Types lists the taxonomy in the specification's order.
func Types() []Type {
	return []Type{Fact, Preference, Skill, Context, Relationship, Goal, Instruction, Identity, Environment, Project, Custom}
}

// Description says what memories of the type are about, in the words of §5; "" of
// a custom one.
func (t Type) Description() string {
	switch t {
	case Fact:
		return "Objective, verifiable information about the user"
	case Preference:
		return "User preference, taste, or stated desire"
	case Skill:
		return "Competency, expertise, or demonstrated ability"
	case Context:
		return "Situational or temporal context"
	case Relationship:
		return "Relation to another person, entity, or organization"
	case Goal:
		return "Active objective or aspiration"
	case Instruction:
		return "How the user wants to be treated or addressed"
	case Identity:
		return "Personal identity information"
	case Environment:
		return "Technical or physical environment details"
	case Project:
		return "Active project or initiative"
	}
	return ""
}

// Method says how a memory was extracted (PAM §11.3).
type Method string

const (
	LLMInference      Method = "llm_inference"
	ExplicitUserInput Method = "explicit_user_input"
	APIExport         Method = "api_export"
	BrowserExtraction Method = "browser_extraction"
	Manual            Method = "manual"
)

// Record is one memory object (PAM §4).
type Record struct {
	ID           string         `json:"id"`
	Type         Type           `json:"type"`
	CustomType   string         `json:"custom_type,omitempty"`
	Content      string         `json:"content"`
	ContentHash  string         `json:"content_hash"`
	Status       Status         `json:"status"`
	Summary      string         `json:"summary,omitempty"`
	Tags         []string       `json:"tags"` // never nil in what we write; each ^[a-z0-9][a-z0-9_-]*$
	Temporal     Temporal       `json:"temporal"`
	Provenance   Provenance     `json:"provenance"`
	Confidence   *Confidence    `json:"confidence,omitempty"`
	Access       *Access        `json:"access,omitempty"`
	EmbeddingRef string         `json:"embedding_ref,omitempty"`
	Metadata     map[string]any `json:"metadata,omitempty"` // open block (§10); language and domain are PAM's own names
}

// Temporal holds the times of a memory (§4, temporal). CreatedAt never changes.
type Temporal struct {
	CreatedAt    Time   `json:"created_at"`
	UpdatedAt    Time   `json:"updated_at,omitzero"`
	ValidFrom    Time   `json:"valid_from,omitzero"`
	ValidUntil   Time   `json:"valid_until,omitzero"`
	SupersededBy string `json:"superseded_by,omitempty"`
}

// Provenance says where a memory came from (§11).
type Provenance struct {
	Platform         string `json:"platform"` // ^[a-z0-9_-]{2,32}$, a product name
	PlatformUserID   string `json:"platform_user_id,omitempty"`
	ConversationRef  string `json:"conversation_ref,omitempty"` // Conversation.ID
	MessageRef       string `json:"message_ref,omitempty"`      // Message.ID
	ExtractionMethod Method `json:"extraction_method,omitempty"`
	ExtractedAt      Time   `json:"extracted_at,omitzero"`
	Extractor        string `json:"extractor,omitempty"` // name/semver
}

// Decay is a decay model of §8.1.
type Decay string

const (
	DecayLinear      Decay = "time_linear"
	DecayExponential Decay = "time_exponential"
	DecayNone        Decay = "none"
)

// Confidence is computed by the system, never the person's priority (§8).
// Initial and Current are 0..1; §8 requires neither, and one that nobody stated
// is nil.
type Confidence struct {
	Initial        *float64 `json:"initial,omitempty"`
	Current        *float64 `json:"current,omitempty"`
	DecayModel     Decay    `json:"decay_model,omitempty"`
	LastReinforced Time     `json:"last_reinforced,omitzero"`
}

// Certain is a confidence as it begins.
func Certain(initial float64, model Decay) *Confidence {
	current := initial
	return &Confidence{Initial: &initial, Current: &current, DecayModel: model}
}

// IsStated reports that somebody said how sure they are.
func (c *Confidence) IsStated() bool { return c != nil && (c.Current != nil || c.Initial != nil) }

// Value is the confidence as it is stored: current, or initial where that alone
// is stated, or 1 as of a memory without the block.
func (c *Confidence) Value() float64 {
	switch {
	case c == nil:
		return 1
	case c.Current != nil:
		return *c.Current
	case c.Initial != nil:
		return *c.Initial
	}
	return 1
}

// Visibility of a memory (§9).
type Visibility string

const (
	Private Visibility = "private"
	Shared  Visibility = "shared"
	Public  Visibility = "public"
)

// Access is the access block (§9). Where it is present all three are written.
type Access struct {
	Visibility Visibility `json:"visibility"`
	Exportable bool       `json:"exportable"`
	SharedWith []Grant    `json:"shared_with"` // never nil in what we write
}

// Grant gives an entity permissions out of read, write, delete (§9.1).
type Grant struct {
	Entity      string   `json:"entity"`
	Permissions []string `json:"permissions"`
}

// MayLeave reports whether the memory may be part of an export (§21.1). No
// access block means the defaults of §9: exportable.
func (r Record) MayLeave() bool { return r.Access == nil || r.Access.Exportable }

// RelationType is one of the six of §13.2.
type RelationType string

const (
	Supports    RelationType = "supports"
	Contradicts RelationType = "contradicts"
	Extends     RelationType = "extends"
	Supersedes  RelationType = "supersedes"
	RelatedTo   RelationType = "related_to"
	DerivedFrom RelationType = "derived_from"
)

// RelationTypes lists the six in the specification's order.
func RelationTypes() []RelationType {
	return []RelationType{Supports, Contradicts, Extends, Supersedes, RelatedTo, DerivedFrom}
}

// Relation is one directed edge between two memories (§13).
type Relation struct {
	ID         string       `json:"id"`
	From       string       `json:"from"`
	To         string       `json:"to"`
	Type       RelationType `json:"type"`
	Confidence *float64     `json:"confidence,omitempty"`
	CreatedAt  Time         `json:"created_at"`
}
