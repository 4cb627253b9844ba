// Package mcp speaks the Model Context Protocol with an assistant, and asks the owner of the vault
// for what it answers. docs/agents.md has the tools.
package mcp
