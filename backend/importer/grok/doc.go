// Package grok reads the exports of Grok: the one of grok.com, and what the
// archive of an X account holds of it.
//
// # The export of grok.com
//
// A zip with everything below ttl/30d/export_data/<uuid>/:
// prod-grok-backend.json (conversations, projects, tasks, media_posts),
// prod-mc-auth-mgmt-api.json and prod-mc-billing.json (the account, nothing to
// remember), and uploads as prod-mc-asset-server//<uuid>/content, with two
// slashes. Each conversation is wrapped twice, {"conversation":{…},
// "responses":[{"response":{…}}]}, and responses are a tree whose roots name no
// parent. Times are written in three ways: {"$date":{"$numberLong":"…"}},
// {"$date":"…Z"}, or plain. Older files say conversation_id and response_id.
//
// # The archive of an X account
//
// data/grok-chat-item.js is an assignment to window.YTD whose value is a flat
// list of messages of all chats. They have no ids of their own.
//
// # What becomes what
//
// A thinking trace is a message of its own before its answer, marked as a
// thought. Tags that Grok's page draws (<grok:render>) are taken out of the
// text; the text as it was stays in raw_metadata. The instructions of a project
// are memories. A temporary chat is archived, and nothing of it is remembered.
package grok
