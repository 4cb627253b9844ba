// Package sillytavern reads chats of SillyTavern (seen in its source, 2026-09), as they lie
// in data/<user>/chats/<character> and data/<user>/group chats: a file of lines, of which
// the first is about the chat and each other one is a message.
//
// A message may have several versions (swipes), of which one is selected; what follows
// hangs below it. Neither chats nor messages have ids. A branch begins with the lines of
// the chat that it was made of, so a message is known by what was said up to it, and both
// files are one conversation with branches.
//
// Times are written in four forms; two of them have no zone, and UTC is assumed.
package sillytavern
