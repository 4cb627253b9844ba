// Package agents keeps which programs may ask the vault for what, and answers them within that.
// docs/agents.md has the rules.
package agents
