package library

import (
	"strings"

	"keepsake/backend/core/rows"
	"keepsake/backend/format/mif"
	"keepsake/backend/memory"
	"keepsake/backend/vault"
)

// BarredReferences returns a matcher for texts in the documents of an owner. It matches
// the id of a forgotten memory and, from MinWithin bytes on, the content of one.
func BarredReferences(e *Tx, owner string) ReferenceMatcher {
	if !e.VaultTx.HasLinks(vault.Receipts) {
		return func(string) bool { return false }
	}
	return func(text string) bool {
		return text != "" && len(text) <= MaxContent && (IsBarred(e, rows.ByOrigin(rows.OriginOf(owner, mif.RecordID(text)))) ||
			len(text) >= MinWithin && IsBarred(e, rows.ByContent(memory.ContentHash(text))))
	}
}

// Bar stops imports from restoring a forgotten record by one of its lookup names, such as
// a hash of its content. It stores only a keyed hash of the name.
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

// ByConversationID is the lookup name by which Bar stops imports from restoring a
// forgotten conversation.
func ByConversationID(id string) string { return "conversation:" + id }

// WordsKey normalizes a statement for comparison, for example with forgotten ones. It
// ignores case, accents, kinds of spaces and quotation marks, and punctuation at both ends.
func WordsKey(text string) string {
	text = strings.NewReplacer("“", `"`, "”", `"`, "„", `"`, "«", `"`, "»", `"`, "‘", "'", "’", "'").Replace(Fold(text))
	return strings.Trim(strings.Join(strings.Fields(text), " "), " .,;:!?…\"'-–—•*")
}

// ByWords is the lookup name with which Bar also stops a statement in nearly the words of
// a forgotten one: a hash of the statement's WordsKey, "" if that is empty.
func ByWords(content string) string {
	if key := WordsKey(content); key != "" {
		return "words:" + memory.ContentHash(key)
	}
	return ""
}

// IsForgottenText reports whether a statement with the same or nearly the same words was
// forgotten in this vault.
func IsForgottenText(e *Tx, content string) bool {
	if !e.VaultTx.HasLinks(vault.Receipts) {
		return false
	}
	words := ByWords(content)
	return IsBarred(e, rows.ByContent(memory.ContentHash(content))) || words != "" && IsBarred(e, words)
}
