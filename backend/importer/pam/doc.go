// Package pam reads Portable AI Memory that was written elsewhere: a memory
// store alone, or a bundle with its conversations and attachments, as a folder
// or a zip. The format itself is read in backend/format/pam; here its pieces
// become drafts.
//
// Memories and relations are handed over whole, under their own ids: the
// receiving side merges them (§16.3). A conversation that the index names and
// that no file holds is given without messages, so that what came from it
// still says so. Embeddings follow, those whose memory names them. Members that
// this version does not know are counted by name and kept nowhere. Conversation
// documents are read without their store, too; nobody signs one alone.
package pam
