// Package journal holds what transactions wrote since the data file was written last:
// in files of sealed, chained frames ([Journal], docs/vault-format.md §10.2), and in
// memory as a [Layer] over the data file, which readers see and a checkpoint writes into
// it. [Mark] is vault.gen, which says up to which commit there must be frames (§10.1).
//
// The package knows buckets, keys and values as they are stored, and nothing of records.
package journal
