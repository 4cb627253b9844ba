// Package geminicli reads the sessions of Gemini CLI, as they lie in
// ~/.gemini/tmp/<project>/chats/session-<time>-<id>: until 2026 .json, one
// object; since then .jsonl, a log.
//
// In the log the first line says whose session it is. A message with an id that
// was there replaces the older one; {"$set":{…}} changes what is known of the
// session, and where it holds messages it is the whole list anew;
// {"$rewindTo":"<id>"} takes that message back with all after it, or everything
// where the id is not known. What was replaced and taken back is counted.
//
// Browser extensions save chats of Gemini's page in the same shape, with "gemini-web" as
// their project. They are Gemini's, and a reader of their own gives them.
package geminicli
