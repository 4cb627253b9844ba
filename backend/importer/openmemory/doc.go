// Package openmemory reads the backup of OpenMemory: a zip of memories.json
// (everything, with apps, categories and history) and memories.jsonl.gz (the
// same memories, one a line). The second is read where the first is missing.
//
// What was deleted there is left out; what is paused or archived is taken and
// says so. Histories and access rules are counted.
package openmemory
