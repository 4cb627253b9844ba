// Package hooks does what an assistant starts keepsake hook for: it lets a session wait for the
// owner of the vault, and tells what the agent may know when a session begins. An assistant never
// fails by it. docs/agents.md has the rules.
package hooks
