// Package memwipe overwrites traces of a vault's texts in the memory of this process, after
// the vault was locked. It does not depend on the vault: it clears all unreferenced memory.
// Measurements and rejected methods: docs/decisions/0030-what-a-lock-throws-away.md.
package memwipe
