// Package redact finds personal data and secrets in texts, and makes copies
// without them. It changes nothing but its copy.
//
// Precision comes before recall: what has a check digit is checked, what has a
// public form is matched by it, and a bare number is taken only where a word
// beside it says what it is. Every rule looks at a bounded stretch of text from
// an anchor that is found once, so the time is linear in the text.
//
// A finding's place is a byte offset, as Go slices strings. A redaction's place
// is in code points of the text before anything was hidden, as the Memory
// Interchange Format writes it (its §6.1).
package redact
