// Package claude reads the exports of claude.ai.
//
// What the export looks like, by date:
//
//   - until mid 2025: one zip with conversations.json, users.json,
//     projects.json. Messages are a plain chain.
//   - late 2025 to August 2026: the same in one or several batch zips that may
//     repeat conversations; memories.json beside them; projects/<uuid>.json
//     instead of projects.json from about May 2026; messages are a tree by
//     parent_message_uuid whose current leaf is the last of the list.
//   - from about August 2026: a manifest JSON names separate zips
//     (conversations-000.zip, projects-000.zip, memories-000.zip,
//     light_metadata-000.zip, frames-000.zip, design_chats-000.zip …), each
//     downloaded by a link that works once. The manifest is no data, and its
//     links are secrets: they are never kept and never shown.
//
// Files are recognised by what is in them, wherever they lie.
//
// # How a message becomes messages
//
// A Claude message is a list of blocks: thinking, text, tool calls and their
// results. PAM marks thoughts and tool calls per message, so a list is cut
// into runs: each run of thinking is a message of its own with is_thought, and
// text after a tool call begins another. The last run keeps the provider's id,
// those before it are "<uuid>#1", "<uuid>#2" and so on, one the parent of the
// next; replies hang below the last. Order and branches stay exact that way.
//
// What a block holds beyond that stays in raw_metadata.content of its run, one
// object per block, without the text that is the message's own. A block of
// kind injected_prompt_block is the platform speaking inside the person's
// message: it is kept there and never shown as typed.
//
// # What becomes a memory
//
// Bullets of memory files, with [stated] and [inferred] as method and
// confidence; paragraphs of the memory summary where an account has no files
// (the summary stays one document where it has); the instructions of projects.
// A project itself, with its description and knowledge files, is a conversation
// of one system message: PAM has no other place for documents.
package claude
