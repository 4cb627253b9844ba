package chatgpt

import (
	"crypto/sha256"
	"encoding/hex"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"keepsake/backend/importer"
	"keepsake/backend/memory"
)

// Confidence of a memory by where it was found. A snapshot is what the
// assistant held at that moment; a write to bio does not prove that the memory
// still exists; custom instructions are the person's own words.
const (
	sureInstructions = 0.95
	sureSnapshot     = 0.95
	sureOlder        = 0.8 // in a snapshot that is not the newest
	sureBio          = 0.8
)

// statement is one explicit memory, or one request to forget, as it stands in
// a message.
type statement struct {
	key     string // MemoryDraft.SourceKey
	text    string
	is      memory.Type
	method  memory.Method
	sure    float64
	at      memory.Time // zero is unknown
	message string
	// snapshot: at is a day that the text itself names.
	snapshot bool
	forget   bool
	// repeats: the same text stands in many conversations.
	repeats bool
}

// bullet is what lists begin with.
var bullet = regexp.MustCompile(`^(?:[-*•]|\d+[.)])\s+`)

// bioStatements reads a message to the tool bio: one fact a line.
func bioStatements(messageID, said string, at memory.Time) []statement {
	var all []statement
	for line := range strings.Lines(said) {
		line = bullet.ReplaceAllString(strings.TrimSpace(line), "")
		if line == "" {
			continue
		}
		s := statement{
			key: "bio:" + messageID + ":" + strconv.Itoa(len(all)), text: line, at: at, message: messageID,
			method: memory.APIExport, sure: sureBio,
		}
		if rest, ok := forgetting(line); ok {
			s.forget, s.text = true, rest
		} else {
			s.is = importer.GuessType(line)
		}
		all = append(all, s)
	}
	return all
}

// forget is how a removal request begins, in English and Portuguese.
var forget = regexp.MustCompile(`(?i)^(?:please,?\s+|por favor,?\s+)?` +
	`(?:(?:the )?user (?:asked|wants|would like|requested) (?:me )?to forget|forget|` +
	`(?:remove|delete)\s+(?:the\s+|this\s+)?(?:memory|memories|fact|information|note|entry)|` +
	`esque[çc]a|esquecer|` + `(?:remova|apague)\s+(?:a\s+|o\s+)?(?:memória|fato|informação|nota))` +
	`(?:\s+(?:the\s+fact\s+that|o\s+fato\s+de\s+que|that|about|que|sobre))?\s*(?::|,|\s)\s*(.+)$`)

// forgetting reports a removal request and gives what is to be forgotten.
func forgetting(line string) (string, bool) {
	m := forget.FindStringSubmatch(line)
	if m == nil {
		return "", false
	}
	return strings.Trim(strings.TrimSpace(m[1]), `"'“”`), true
}

var (
	datedLine    = regexp.MustCompile(`^\s*\d+[.)]\s*\[(\d{4}-\d{2}-\d{2})\]\.?\s*(.*)$`)
	numberedLine = regexp.MustCompile(`^\s*\d+[.)]\s+(.*)$`)
)

// snapshotStatements reads model_set_context: numbered lines, each with the
// day it was written. A line without number goes on with the one before; an
// empty line or a heading ends it.
func snapshotStatements(messageID, set string) []statement {
	var all []statement
	dated := anyLine(set, datedLine)
	going := false
	for line := range strings.Lines(set) {
		line = strings.TrimRight(line, "\r\n")
		day, said, begins := snapshotLine(line, dated)
		switch {
		case begins && said != "":
			all = append(all, statement{
				text: said, at: day, snapshot: true, method: memory.APIExport, sure: sureSnapshot, repeats: true, message: messageID,
			})
			going = true
		case strings.TrimSpace(line) == "" || strings.HasPrefix(line, "#"):
			going = false
		case going:
			all[len(all)-1].text += "\n" + strings.TrimSpace(line)
		}
	}
	for i := range all {
		s := &all[i]
		s.is, s.key = importer.GuessType(s.text), "snapshot:"+s.at.String()+":"+digest(s.text)
	}
	return all
}

func anyLine(text string, fits *regexp.Regexp) bool {
	for line := range strings.Lines(text) {
		if fits.MatchString(strings.TrimRight(line, "\r\n")) {
			return true
		}
	}
	return false
}

// snapshotLine reads a numbered line. Where any line of the snapshot is dated
// only dated ones count: a memory may hold a numbered list of its own.
func snapshotLine(line string, dated bool) (day memory.Time, said string, begins bool) {
	if m := datedLine.FindStringSubmatch(line); m != nil {
		day, _ = memory.ParseTime(m[1] + "T00:00:00Z") // a day that does not exist is unknown
		return day, strings.TrimSpace(m[2]), true
	}
	if m := numberedLine.FindStringSubmatch(line); m != nil && !dated {
		return memory.Time{}, strings.TrimSpace(m[1]), true
	}
	return memory.Time{}, "", false
}

// profileLabels begin the lines of the profile form.
var profileLabels = []string{"Preferred name:", "Role:", "Other Information:"}

// profileStatements reads what the person wrote about themselves. The lines of
// the form are one memory each, free text is one.
func profileStatements(messageID, profile string, at memory.Time) []statement {
	var all []statement
	for _, piece := range profilePieces(unfence(profile)) {
		is := importer.GuessType(piece)
		if strings.HasPrefix(piece, profileLabels[0]) || strings.HasPrefix(piece, profileLabels[1]) {
			is = memory.Identity
		}
		all = append(all, custom("profile:", piece, is, messageID, at))
	}
	return all
}

// profilePieces cuts a profile at its labels. A label without a value is left
// out, and "Other Information:" says nothing by itself.
func profilePieces(profile string) []string {
	var pieces []string
	for line := range strings.Lines(profile) {
		line = strings.TrimRight(line, "\r\n ")
		if hasLabel(line) || len(pieces) == 0 {
			pieces = append(pieces, line)
		} else {
			pieces[len(pieces)-1] += "\n" + line
		}
	}
	var kept []string
	for _, p := range pieces {
		p = strings.TrimSpace(strings.TrimPrefix(p, profileLabels[2]))
		if p != "" && p != profileLabels[0] && p != profileLabels[1] {
			kept = append(kept, p)
		}
	}
	return kept
}

func hasLabel(line string) bool {
	return slices.ContainsFunc(profileLabels, func(label string) bool { return strings.HasPrefix(line, label) })
}

// instructionStatements reads how the person wants to be answered: one memory.
func instructionStatements(messageID, instructions string, at memory.Time) []statement {
	said := unfence(instructions)
	if said == "" {
		return nil
	}
	return []statement{custom("instructions:", said, memory.Instruction, messageID, at)}
}

func custom(prefix, said string, is memory.Type, messageID string, at memory.Time) statement {
	return statement{
		key: prefix + digest(said), text: said, is: is, at: at, message: messageID,
		method: memory.ExplicitUserInput, sure: sureInstructions, repeats: true,
	}
}

// preamble is how the provider introduces custom instructions to the model.
const preamble = "The user provided "

// unfence takes the provider's introduction and the fence around the person's
// words away. Words that do not begin with it are theirs altogether.
func unfence(s string) string {
	s = strings.TrimSpace(s)
	if !strings.HasPrefix(s, preamble) {
		return s
	}
	const fence = "```"
	if from, to := strings.Index(s, fence), strings.LastIndex(s, fence); to > from {
		return strings.TrimSpace(s[from+len(fence) : to])
	}
	for _, end := range []string{"User profile:", "\n\n", "\n"} {
		if _, rest, ok := strings.Cut(s, end); ok {
			return strings.TrimSpace(strings.Trim(strings.TrimSpace(rest), "`"))
		}
	}
	return ""
}

// digest recognises the same words again.
func digest(s string) string {
	sum := sha256.Sum256([]byte(s))
	return hex.EncodeToString(sum[:8])
}
