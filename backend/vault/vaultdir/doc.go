// Package vaultdir is the folder of a vault as the operating system shows it: the names
// in it (docs/vault-format.md §1), opening files without following links or waiting
// (§1.1), the lock, and what Linux, macOS and Windows each call it. It reads none of the
// files.
package vaultdir
