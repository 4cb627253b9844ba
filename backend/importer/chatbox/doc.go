// Package chatbox reads the chats that Chatbox exports (seen in its source, 2026-09):
// chatbox-exported-data-<date>.json, one object of everything that Chatbox stores.
// "chat-sessions-list" names the sessions and "session:<id>" holds each; older files have
// all in one list, "chat-sessions". The settings that stand beside them hold keys of
// providers and are not looked at; of those of a session only the name of the model is.
//
// A session has its messages, threads that were put away before them, and forks: other
// answers and questions behind one message (messageForksHash).
package chatbox
