// Package codex reads the sessions of Codex, as they lie in
// ~/.codex/sessions/<year>/<month>/<day>/rollout-<time>-<id>.jsonl and in
// archived_sessions. Three generations:
//
//   - envelopes {timestamp, type, payload}: session_meta, turn_context,
//     response_item, event_msg, compacted and others;
//   - a first line {id, timestamp, instructions, git}, then the items themselves;
//   - one object {session, items} (rollout-….json).
//
// Messages, thoughts, calls of tools and their results are response items. The
// events say the same text once more and are counted as repeated; what only
// events say, as in the sessions that are called paginated, is read from them.
// What the program says in the person's place (environment, instructions, AGENTS.md) is
// left out, and so are the sessions of subagents. Titles stand in
// session_index.jsonl beside the sessions. There are no ids of messages: the
// number of the line is one.
package codex
