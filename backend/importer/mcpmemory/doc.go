// Package mcpmemory reads the knowledge graph of the MCP memory server:
// memory.jsonl (memory.json until 2025, the same content), one entity or
// relation a line, or the answer of its tool read_graph, which is one object
// with both lists, also inside the result of the call as clients save it.
//
// Every observation is a memory, and every relation one between the first observations
// of what it names; where one of the two has none it is a sentence. There are no ids and
// no times; names are keys.
package mcpmemory
