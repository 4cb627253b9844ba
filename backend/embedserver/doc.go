// Package embedserver turns texts into vectors by asking a program on this computer: Ollama
// (POST /api/embed) or whatever has OpenAI's POST /v1/embeddings. It connects to loopback
// addresses only, through no proxy, follows no redirect and resolves no name. What the server
// answers is checked before it is used. docs/embeddings.md has the rules and the limits.
package embedserver
