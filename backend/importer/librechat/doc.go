// Package librechat reads the conversations that LibreChat exports as JSON: one
// object a file, its messages flat with their parents, or nested as children
// where "recursive" was chosen, as LibreChat proposes. (Only its own code and the file
// of its tests were seen, no real export.)
//
// A nested export may be 20,000 messages deep; a deeper one must be exported flat.
package librechat
