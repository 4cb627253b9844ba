package claudecode

import (
	"strings"

	"keepsake/backend/importer"
	"keepsake/backend/memory"
)

// path mends the parents of the messages of a session, so that its active path is what
// was shown. What a message named as its parent stays in raw_metadata.
type path struct {
	s       *session
	next    map[string]string // of an answer that stands on several lines: the line after one
	results map[string]string // the last result of the calls of an answer, by its last line
	ends    map[string]string // by a result: the last line of its answer
	typed   map[string]bool   // what was typed while the program was busy, of the messages so far
	met     map[string]bool   // answers and their calls, of which a result was hung
}

func (s *session) mend(messages []memory.Message) {
	p := path{s: s, next: map[string]string{}, results: map[string]string{}, ends: map[string]string{}, met: map[string]bool{}, typed: map[string]bool{}}
	for i := range messages {
		m := &messages[i]
		if up := s.above(m.ProviderMessageID); s.answerOf[m.ID] != "" && s.answerOf[m.ID] == s.answerOf[up] {
			p.next[up] = m.ID
		}
	}
	for i := range messages {
		m := &messages[i]
		if i > 0 {
			p.hangLoose(m, messages[i-1].ID)
		}
		p.chain(m)
		p.follow(m)
	}
}

// hangLoose hangs a message below the one before it where what it names as its parent
// was never written: compaction leaves such.
func (p *path) hangLoose(m *memory.Message, before string) {
	if _, written := p.s.parents[m.ParentID]; m.ParentID == "" || written || strings.Contains(m.ParentID, "#") {
		return
	}
	importer.KeepText(&m.RawMetadata, "keepsake_parent", "derived")
	p.hang(m, before)
}

// chain puts the results of calls that were made at the same time one behind another:
// each stands below the line of its own call, and they are no versions of each other.
func (p *path) chain(m *memory.Message) {
	if end := p.ends[m.ParentID]; end != "" && m.Role != memory.Tool {
		p.hang(m, p.results[end])
		return
	}
	if m.Role != memory.Tool || p.s.answerOf[m.ParentID] == "" {
		return
	}
	end := m.ParentID
	for n := 0; p.next[end] != "" && n < len(p.next); n++ {
		end = p.next[end]
	}
	call := end + "\x00" + string(m.RawMetadata["tool_use_id"])
	if p.met[call] {
		return // run again: another version
	}
	p.met[call] = true
	p.hang(m, importer.FirstOf(p.results[end], end))
	p.results[end], p.ends[m.ID] = m.ID, end
}

// follow puts a message behind what was typed before it, while the program was busy.
func (p *path) follow(m *memory.Message) {
	below := m.ParentID
	for n := 0; p.typed[p.s.behind[below]] && n <= len(p.typed); n++ {
		below = p.s.behind[below]
	}
	p.hang(m, below)
	if strings.HasPrefix(m.ID, "queued-") {
		p.typed[m.ID] = true
	}
}

func (p *path) hang(m *memory.Message, below string) {
	if m.ParentID == below {
		return
	}
	importer.KeepText(&m.RawMetadata, "parentUuid", m.ParentID)
	m.ParentID = below
}
