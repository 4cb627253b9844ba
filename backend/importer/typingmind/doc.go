// Package typingmind reads the chats that TypingMind exports: one JSON file, or a zip with
// it. As of 2026-12 no whole export was seen, only code that reads one: what of it is not
// known is counted and kept. The file holds settings as well; nothing but the chats and
// the names of their folders is looked at.
package typingmind
