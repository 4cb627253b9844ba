// Package handoff writes what an assistant is told about a person, made of
// memories that may leave (PAM §20.2): text to paste into a field of settings, to
// say in a chat, to give to an importer, or to keep beside code.
//
// Every text has a budget. Fields on web pages count UTF-16 units and people count
// characters, so both are told, and the larger one, UTF-16 units, must fit. Memories
// are ranked by how much they tell (Figures.Telling), and the groups of a text take turns
// (Order). A memory that would fill more than a quarter of a text gives its first whole
// sentences; no sentence is cut, and what was left out is listed with the reason.
//
// The limits are what was known on a day; each says from where, and each can be
// set to something else.
package handoff
