package library

import (
	"strings"

	"keepsake/backend/core/rows"
	"keepsake/backend/format/mif"
	"keepsake/backend/memory"
	"keepsake/backend/vault"
)

// BarredReferences returns a matcher for texts in documents of an owner that refer to a
// memory forgotten earlier, by its id or, from MinWithin bytes on, by its content.
func BarredReferences(e *Tx, owner string) ReferenceMatcher {
	if !e.VaultTx.HasLinks(vault.Receipts) {
		return func(string) bool { return false }
	}
	return func(text string) bool {
		return text != "" && len(text) <= MaxContent && (IsBarred(e, rows.ByOrigin(rows.OriginOf(owner, mif.RecordID(text)))) ||
			len(text) >= MinWithin && IsBarred(e, rows.ByContent(memory.ContentHash(text))))
	}
}

// Bar keeps imports from bringing back a forgotten thing that has this lookup name. Only
// a keyed hash of the name is stored.
func Bar(e *Tx, name string) error {
	return e.VaultTx.Link(vault.Receipts, e.VaultTx.AuditTarget(name), "")
}

// IsBarred reports whether something was forgotten under this name (see Bar).
func IsBarred(e *Tx, name string) bool {
	if !e.VaultTx.HasLinks(vault.Receipts) { // the usual case: nothing was ever forgotten, so the name need not be hashed
		return false
	}
	_, there := e.VaultTx.Linked(vault.Receipts, e.VaultTx.AuditTarget(name))
	return there
}

// ByConversationID is the name under which a forgotten conversation is barred.
func ByConversationID(id string) string { return "conversation:" + id }

// WordsKey normalizes a statement for comparison, for example with forgotten ones. It
// ignores case, accents, kinds of spaces and quotation marks, and punctuation at both ends.
func WordsKey(text string) string {
	text = strings.NewReplacer("“", `"`, "”", `"`, "„", `"`, "«", `"`, "»", `"`, "‘", "'", "’", "'").Replace(Fold(text))
	return strings.Trim(strings.Join(strings.Fields(text), " "), " .,;:!?…\"'-–—•*")
}

// ByWords is the name under which a forgotten statement is barred even if it returns in
// nearly the same words: a hash of its WordsKey, "" if that is empty.
func ByWords(content string) string {
	if key := WordsKey(content); key != "" {
		return "words:" + memory.ContentHash(key)
	}
	return ""
}

// IsForgottenText reports that a statement was forgotten here, in these or nearly the
// same words.
func IsForgottenText(e *Tx, content string) bool {
	if !e.VaultTx.HasLinks(vault.Receipts) {
		return false
	}
	words := ByWords(content)
	return IsBarred(e, rows.ByContent(memory.ContentHash(content))) || words != "" && IsBarred(e, words)
}
