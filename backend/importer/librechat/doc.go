// Package librechat reads the conversations that LibreChat exports as JSON: one
// object a file, its messages flat with their parents, or nested as children
// where "recursive" was chosen. (Only parsers were seen, no real file.)
//
// A nested export deeper than 60 answers is over the limit of depth and must be
// exported flat.
package librechat
