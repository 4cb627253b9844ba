// Package owner lets agents and commands of the command line ask the process that has the vault
// open, its owner: over a socket of this person alone, with a protocol of JSON lines. docs/agents.md
// has it.
package owner
