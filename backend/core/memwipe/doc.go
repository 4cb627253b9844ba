// Package memwipe overwrites what a vault's texts left in the memory of this process, once
// the vault is locked. It knows no vault: everything goes that is not referred to any more.
// What it takes, and what was tried, stands in docs/decisions/0030-what-a-lock-throws-away.md.
package memwipe
