// Package zep reads dumps of Zep and Graphiti. Neither writes a file of its
// own; people keep the answers of the programming interface: edges, nodes and
// episodes, as lists or as one object that holds several.
//
// The fact of an edge is a memory, unless it was superseded (invalid_at or
// expired_at is set): such are counted and left out. A node with a summary is
// one as well. Episodes are what was said: each group of them is a conversation.
// In one episode several may speak, each after a name and a colon.
package zep
