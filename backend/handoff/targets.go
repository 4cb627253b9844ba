package handoff

// Target is for whom a text is made.
type Target string

const (
	ChatGPT      Target = "chatgpt"
	Claude       Target = "claude"
	Gemini       Target = "gemini"
	SystemPrompt Target = "system-prompt"
	ClaudeMD     Target = "claude-md"
	AgentsMD     Target = "agents-md"
)

// Source says how well a limit is known.
type Source string

const (
	Documented Source = "documented" // by its owner
	Reported   Source = "reported"   // by others who use it
	Ours       Source = "ours"       // nobody publishes one; a sensible size
)

// Part is one text of a target. Parts of one target are different ways, each
// complete in itself, unless they say that they follow another.
type Part struct {
	Name  string // "custom-instructions", "remember", "import", …
	Limit int    // UTF-16 units
	As    Source
	Dated string // when the limit was looked up, YYYY-MM-DD
	Chunk int    // > 0: the text is cut into messages of this many units
	// Follows says that the part takes what the one before had no room for.
	Follows  bool
	MaxLines int    // > 0: at most this many lines, too
	Person   Person // in which it speaks of the person
	form     form
}

// Info is what is known of a target.
type Info struct {
	Target   Target
	File     string // name a saved text is given
	Parts    []Part
	Training Training
}

// Training is what is known of whether a target learns from what it is given.
type Training string

const (
	NoTraining Training = ""        // a file or a prompt of one's own
	BySetting  Training = "setting" // it depends on a setting of the account
	Trains     Training = "trains"  // its own page says that what is imported is used
)

// looked is when the limits were gathered.
const looked = "2026-09-30"

// Targets lists them all. docs/handoff.md has the sources of the limits.
func Targets() []Info {
	return []Info{
		{ChatGPT, "chatgpt.txt", []Part{
			{Name: "custom-instructions", Limit: 1500, As: Documented, Dated: looked, Person: First, form: field},
			{Name: "remember", Limit: 8000, As: Reported, Dated: looked, Chunk: 1500, Follows: true, Person: First, form: remember},
		}, BySetting},
		{Claude, "claude.txt", []Part{
			{Name: "import", Limit: 6000, As: Reported, Dated: looked, form: claudeImport},
			{Name: "project-instructions", Limit: 8000, As: Ours, Dated: looked, Person: Third, form: listed},
		}, BySetting},
		{Gemini, "gemini.txt", []Part{
			{Name: "import", Limit: 8000, As: Ours, Dated: looked, form: geminiImport},
			{Name: "gem", Limit: 4000, As: Ours, Dated: looked, Person: Third, form: listed},
		}, Trains},
		{SystemPrompt, "system-prompt.txt", []Part{{Name: "system-prompt", Limit: 4000, As: Ours, Dated: looked, Person: Third, form: listed}}, NoTraining},
		{ClaudeMD, "CLAUDE.md", []Part{{Name: "file", Limit: 25000, As: Documented, Dated: looked, MaxLines: 200, Person: Third, form: markdown}}, NoTraining},
		{AgentsMD, "AGENTS.md", []Part{{Name: "file", Limit: 8000, As: Ours, Dated: looked, MaxLines: 200, Person: Third, form: markdown}}, NoTraining},
	}
}

// Find gives what is known of a target.
func Find(t Target) (Info, bool) {
	for _, info := range Targets() {
		if info.Target == t {
			return info, true
		}
	}
	return Info{}, false
}
