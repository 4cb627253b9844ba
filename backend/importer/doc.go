// Package importer says what a reader of provider exports is, how the right
// one is found, and what a reader gives back. The readers themselves are rooms
// below this one; the list of all of them is in importer/all.
//
// A draft is what a provider said, translated into our words but not yet
// finished: ids, hashes and import times come from the receiving side.
package importer
