// Package memory holds the words of the project: what a memory, a
// conversation, a message and a relation are, as Portable AI Memory v1.0 (PAM)
// defines them, which steps of a lifecycle are legal, and how content is
// hashed. It does nothing else: it imports nothing of ours and touches no disk.
//
// JSON forms are PAM's own. Members that PAM allows to be null are left out
// when empty, so that what we write has one form that both reference
// validators accept; on reading, null and absent mean the same.
package memory
