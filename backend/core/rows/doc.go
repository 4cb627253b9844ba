// Package rows holds in memory what lists, filters and sorting need of an unlocked vault:
// one row per memory and conversation, without texts. It also has the codec of the
// encrypted pages from which rows are loaded at an unlock, the records from which rows are
// made (a memory with its provenance record, the head of a conversation), and the decay of
// confidence. It does not depend on sessions. To change rows, hold their lock.
package rows
