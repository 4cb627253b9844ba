// Package library manages the selected vault. It has the lock for calls that read or write
// the vault (Library.Gate), the session of an unlocked vault (Session), the transaction in
// which every change is made and that records undo data (Tx), and all kinds of stored
// records: memories, conversations, relations, tasks, proposals, embeddings, reports and
// sightings (which records the files of an import held) of imports, settings and the log.
// The other packages of core use Library; Service, which core.Service embeds, has the
// methods for the user.
package library
