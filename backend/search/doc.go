// Package search is the lexical index of a vault: it says which memories and
// which messages hold the words somebody types.
//
// The index is a pure function of the vault, so it keeps no journal. Each
// record of the vault is a [Unit], with a Mark that changes whenever the record
// is written again. [Index.Sync] compares the units of the vault with those of
// the index and returns what has to be indexed; after a crash, an unlock or a
// restored backup that comparison alone says what remains to be done.
//
// # Words
//
// Text is cut at the word borders of Unicode (UAX #29), folded (NFKC, full case
// folding, no accents) and cut to [MaxTerm] bytes. What people expect of words
// that are not plain is in scan.go; scripts without spaces become pairs of
// characters.
//
// # Segments
//
// A segment holds the words of some units, for good: a dictionary with
// front-coded terms, a list of (document, frequency) for each term, and a header
// with what each document needs at hand. Units that are replaced or dropped stay
// in it as tombs, in memory, until a merge leaves them out. New units stand in a
// live segment in memory, which is searched like the others and becomes a sealed
// one when it is large enough, or at [Index.Flush].
//
// Everything lies in a [Store] as numbered blocks of at most 32 KB. The store
// seals them; the index adds a checksum that covers the key, so that a block in
// the wrong place is noticed even by a store that does not seal.
//
// # Answers
//
// Documents are ranked by BM25 over all segments. How many documents hold a word,
// how many there are and how long they are on average counts what is in tombs
// too, until a merge leaves it out; a beginning of words, and the words that
// stand in for a rare one, count as one word held by the sum of their documents.
// The index keeps no positions: phrases are verified on the text itself, which
// the caller reads.
package search
