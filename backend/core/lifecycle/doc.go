// Package lifecycle is the vault as a whole: it creates, unlocks and locks it, also when
// nobody is there, keeps its keys, takes snapshots and backups, checks, compacts, rotates,
// rescues and destroys it, and keeps the preferences of the program beside it.
package lifecycle
