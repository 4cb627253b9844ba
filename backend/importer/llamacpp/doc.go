// Package llamacpp reads conversations of the web page of llama.cpp (seen in its source,
// 2026-09): a file of lines, of which the first is the session and each other one a
// message; several such files in a zip; and what was exported until June 2026, JSON with a
// list of conversations, or one, each with its messages.
//
// Messages name their parents. Until July 2026 only the current branch was exported.
package llamacpp
