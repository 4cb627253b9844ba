// Package instructions reads the files that tell an assistant on the command
// line or in an editor how to work: CLAUDE.md, CLAUDE.local.md, AGENTS.md,
// GEMINI.md, .github/copilot-instructions.md, .cursorrules, .cursor/rules/*.mdc,
// .windsurfrules; and what Claude Code and Gemini CLI write down for themselves
// (MEMORY.md and its topic files).
//
// They are Markdown that any text could be, so they are known by their names,
// where their first kilobytes are text. Each bullet and paragraph is a memory of
// type instruction with the file, its section and its scope; what an assistant
// wrote for itself is sorted by its words. Lines "@path" include another file:
// they are counted, and followed nowhere.
package instructions
