// Package lifecycle has the operations on the vault as a whole: create, unlock, lock (also
// automatically when the person is away), change passphrase and keys, snapshot, back up,
// check, compact, recover and destroy. It also stores the program's preferences.
package lifecycle
