// Package rows holds what lists, filters and sorting need of an unlocked vault, in
// memory: one row per memory and conversation, without texts. It has the codec of the
// sealed pages that rows are loaded from at an unlock, the records that they are made of
// (a memory with its provenance record, the head of a conversation), and how a
// confidence decays. It knows no session; who changes rows holds their lock.
package rows
