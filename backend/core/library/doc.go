// Package library is the vault in hand: the gate through which calls read and write it,
// the session of an unlocked vault, the transaction that every change is (Tx, with what
// undoing it needs), and every kind of thing that is stored: memories, conversations,
// relations, tasks, proposals, embeddings, reports and sightings of imports, settings and
// the log. Library is for the other packages of core; Service is what a person can ask of
// it, which core.Service embeds.
package library
