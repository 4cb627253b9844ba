// Package mif reads and writes the Memory Interchange Format: version 1 (SEP-002)
// as JSON, YAML and lines of JSON, and version 2, which the reference
// implementation writes. docs/mif.md has the mapping to Portable AI Memory.
//
// Memories go to PAM and back without loss: what the other format has no member
// for is kept as a text of JSON in metadata, "mif" in a memory of PAM and "pam"
// in a memory of MIF. It holds only members in which a memory differs from what
// the mapping alone would make of it, and a kept member counts only as long as
// the member it was made beside still says the same.
//
// Inside this room every document is in the words of version 1; version 2 is
// put into them when it is read and out of them when it is written. Members of
// one version that the other does not have are written all the same: both ask
// their readers to pass over what they do not know.
package mif
