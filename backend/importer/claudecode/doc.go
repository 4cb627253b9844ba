// Package claudecode reads the sessions of Claude Code, as they lie in
// ~/.claude/projects/<project>/<session>.jsonl: one record a line, appended while
// the program runs, so that the last line may be torn.
//
// Lines of type user and assistant are messages, joined by parentUuid. One
// answer is written as several lines, a block each: they stay messages of their
// own, thoughts marked. Results of tools come in lines of type user.
//
// What is not said by either side is left out and counted: lines of subagents
// (isSidechain; their files carry the session id of their parent), hidden text
// (isMeta), summaries of compaction, commands and reminders of the program,
// notes about the session. What hangs below a line that was left out hangs below
// its parent then. Sessions are full of secrets: a hand-off warns of them.
package claudecode
