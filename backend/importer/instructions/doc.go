// Package instructions reads the files that tell an assistant on the command
// line or in an editor how to work: CLAUDE.md, CLAUDE.local.md, AGENTS.md,
// GEMINI.md, .github/copilot-instructions.md, .cursorrules, .windsurfrules and
// folders of rules (.claude/rules, .cursor/rules, .clinerules, .roo/rules); and
// what assistants write down for themselves in MEMORY.md and beside it.
//
// They are Markdown that any text could be, so they are known by their places,
// their neighbours or their heads, where their first kilobytes are text. Each
// bullet and paragraph is a memory of type instruction with the file, its section
// and its scope; what an assistant wrote for itself is sorted by its words. Lines
// "@path" include another file: they are counted, and followed nowhere.
//
// Several programs call their memory MEMORY.md. Beside that of OpenClaw lie
// SOUL.md, USER.md or daily notes in memory/, beside that of Codex
// memory_summary.md or raw_memories.md; Hermes parts entries by a line "§"; Claude
// Code links to topic files, whose heads have a type of four. What says who the
// assistant is (SOUL.md, IDENTITY.md) is nobody's fact and left out.
package instructions
