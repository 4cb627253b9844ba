// Package copilot reads the exports of Microsoft Copilot, which are tables.
//
//   - "a", copilot-activity-history.csv: Conversation,Time,Author,Message. A byte
//     order mark, CRLF, line breaks inside cells, newest first both over
//     conversations and inside one. Times have no zone, and a question and its
//     answer share one, so that the order is the file's, never that of time.
//   - "b", copilot-chat-activity.csv and the one of the Microsoft 365 apps:
//     CreatedAt,MessageContent,Author,ChatName, with a zone.
//   - "windows", windows-apps-copilot-activity-history.csv:
//     Timestamp,ClientApp,Prompt; questions only.
//
// Each may be UTF-8, with a byte order mark or without, or UTF-16 with one, as
// programs on Windows write it.
//
// No row has an id, and no conversation has one: rows of the same title that
// follow on each other are a conversation, known again by its first row; so a
// chat that is continued is updated. Rows of "windows" have no title either:
// those of one app with less than an hour between them are put together, which
// is a guess and marked as one (keepsake_grouping). There are no memories in any
// of the tables.
package copilot
