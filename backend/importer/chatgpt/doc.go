// Package chatgpt reads the exports of ChatGPT, all layouts side by side,
// because not every account gets the newest one on the same day:
//
//   - 2023 to early 2026, "single": conversations.json (rarely an object with
//     the member conversations), assets named file-<id>-<name>, file_<hex>-…,
//     dalle-generations/…, user-<id>/….
//   - from February 2026, "sharded": conversations-000.json to -NNN.json, a
//     hundred conversations each, and export_manifest.json that lists them.
//   - from May 2026, "assets": shards, attachments as <file-id>.dat with their
//     names in conversation_asset_file_names.json and library_files.json.
//   - from July 2026, "slim": as before, but nodes without children, messages
//     without status, weight and recipient, roles user and assistant only. No
//     memories and no custom instructions can be found in it.
//   - "privacy-portal": the answer to a data request, a zip of zips.
//   - "loose": one conversation object, or an array of them, as other tools
//     save it from the site.
//
// A conversation is a graph: mapping holds nodes that name their parent. All of
// it is kept; current_node names the end of the path that the site shows.
// Nodes the site does not show stay in the graph, so that no chain breaks, and
// carry raw_metadata.keepsake_hidden: "root" (no message), "system",
// "context" (custom instructions, memory snapshots), "weight" (weight 0) or
// "flag" (is_visually_hidden_from_conversation).
//
// What the assistant remembers is found in three places, none of them a file
// of its own: messages to the tool "bio", snapshots in model_set_context, and
// custom instructions. What is not translated stays in raw_metadata verbatim.
package chatgpt
