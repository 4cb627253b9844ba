// Package openwebui reads the chats that Open WebUI exports: an array of
// records, each with the chat inside; older exports hold the inner chat alone.
//
// history is the truth: a tree of messages with several answers to one question
// where several models were asked; messages is only the path last shown, and is
// read where there is no history. Times are in seconds and in milliseconds in
// one record. Images stand inside as base64 and are taken out. Blocks
// <details type="reasoning"> are thoughts, <details type="tool_calls"> are calls;
// newer messages hold both in output, which says them in full.
//
// Names of folders are not in the export, and memories only in the database.
package openwebui
