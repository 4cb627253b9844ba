// Package basicmemory reads a folder of basic-memory: Markdown notes with a
// YAML head (title, type, tags, permalink, created, modified).
//
// In a note, "- [category] text #tag (context)" is an observation and
// "- relation_type [[Target]]" a relation: each is a memory. What else is
// written in the note is one memory, under its title.
package basicmemory
