// Package deepseek reads the exports of DeepSeek.
//
// A zip with conversations.json and user.json. It looks like the export of
// ChatGPT, an array of conversations with a mapping of nodes, and is told from
// it by inserted_at. What a node says stands in fragments: REQUEST is the
// person, THINK a thought, RESPONSE the answer, SEARCH what was looked up; one
// node may hold several. Older exports have content and reasoning_content
// instead. Times carry +08:00.
//
// Each thought is a message of its own before its answer; the last message of a
// node keeps the node's id, those before it are "<id>#1", "<id>#2". Nodes
// without a message (the root) are left out, and their children hang below the
// next node above. There are no memories in the export.
package deepseek
