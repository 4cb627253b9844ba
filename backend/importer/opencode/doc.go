// Package opencode reads sessions of opencode (seen in its source as of 2026-09):
// what `opencode export ID` prints, one object a session, also behind the line
// "Exporting session: …" where all of the output was redirected into a file; and the
// folder storage of versions before 1.2, in which each session, message and part is a
// file of its own:
//
//	storage/session/<project>/<session>.json
//	storage/message/<session>/<message>.json
//	storage/part/<message>/<part>.json
//
// Newer versions keep their sessions in a database, which is not read.
package opencode
