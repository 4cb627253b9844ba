package mif

import (
	"regexp"
	"strings"

	"keepsake/backend/memory"
)

// Types of memories of version 1 (SEP-002 §3.1, and those of its schema), what
// version 2 calls them, and what they are in PAM.
var types = []struct {
	one, two string
	pam      memory.Type
}{
	{"Observation", "observation", memory.Fact},
	{"Decision", "decision", memory.Instruction},
	{"Learning", "learning", memory.Skill},
	{"Pattern", "pattern", memory.Preference},
	{"Context", "context", memory.Context},
	{"Task", "task", memory.Goal},
	// From here on PAM has no type of its own, and the kept one leads back.
	{"Error", "error", memory.Fact},
	{"Discovery", "discovery", memory.Fact},
	{"Conversation", "conversation", memory.Context},
	{"CodeEdit", "code_edit", memory.Context},
	{"FileAccess", "file_access", memory.Context},
	{"Search", "search", memory.Context},
	{"Command", "command", memory.Context},
	{"Intention", "intention", memory.Goal},
}

// pamType is what a type of MIF is in PAM; one that nobody knows is a fact.
func pamType(one string) memory.Type {
	for _, t := range types {
		if t.one == one {
			return t.pam
		}
	}
	return memory.Fact
}

// mifType is what a type of PAM is in MIF.
func mifType(t memory.Type) string {
	for _, x := range types {
		if x.pam == t {
			return x.one
		}
	}
	if t == memory.Environment || t == memory.Project {
		return "Context"
	}
	return "Observation"
}

// Edge types (SEP-002 §5) and the relations of PAM that say the same. "causal"
// leads from the cause; PAM's derived_from leads to it.
const (
	causal = "causal"
	byUser = "user_linked"
)

func pamRelation(edge string) memory.RelationType {
	if edge == causal {
		return memory.DerivedFrom
	}
	return memory.RelatedTo
}

func edgeType(r memory.RelationType) string {
	if r == memory.DerivedFrom {
		return causal
	}
	return byUser
}

// Prefixes of ids in version 1; version 2 has bare UUIDs.
const (
	ofMemory = "mem_"
	ofTodo   = "todo_"
)

// recordID is the id in the vault of what MIF calls so: the bare UUID, or else
// the id as it stands.
func recordID(prefix, id string) string {
	if bare, ok := strings.CutPrefix(id, prefix); ok && isUUID(bare) {
		return bare
	}
	return id
}

// RecordID is what the vault calls the memory that a document of either version
// calls so, and MemoryID what a document of version 1 calls one of the vault.
func RecordID(id string) string { return recordID(ofMemory, id) }

// MemoryID leads the other way round than RecordID.
func MemoryID(id string) string { return mifID(ofMemory, id) }

var formal = regexp.MustCompile(`^(mem|todo)_[a-fA-F0-9-]+$`)

// mifID is the id in version 1 of what the vault calls so.
func mifID(prefix, id string) string {
	switch {
	case isUUID(id):
		return prefix + id
	case strings.HasPrefix(id, prefix) && formal.MatchString(id):
		return id
	}
	return prefix + namedUUID(id)
}

// tagsOf are tags as PAM has them (§4): lower case, words joined by hyphens.
// What nothing is left of is left out.
func tagsOf(all []string) []string {
	tags := []string{}
	seen := map[string]bool{}
	for _, t := range all {
		t = tagOf(t)
		if t != "" && !seen[t] {
			seen[t] = true
			tags = append(tags, t)
		}
	}
	return tags
}

func tagOf(t string) string {
	var b strings.Builder
	for _, r := range strings.ToLower(t) {
		switch {
		case r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r == '_':
			b.WriteRune(r)
		case b.Len() > 0:
			b.WriteByte('-')
		}
	}
	return strings.TrimLeft(strings.TrimRight(b.String(), "-_"), "-_")
}

// Platform is where memories are from whose source names no agent.
const Platform = "mif"

var platform = regexp.MustCompile(`^[a-z0-9_-]{2,32}$`)

// platformOf is the agent that a source names, where PAM can say it (§11.4).
func platformOf(source object) string {
	if agent := strings.ToLower(source.string("agent")); platform.MatchString(agent) {
		return agent
	}
	return Platform
}

func methodOf(source object) memory.Method {
	switch source.string("type") {
	case "user":
		return memory.ExplicitUserInput
	case "conversation", "hook":
		return memory.LLMInference
	}
	return memory.APIExport
}
