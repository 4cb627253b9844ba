// Package letta reads agent files of Letta (.af): one JSON object.
//
//   - current: agents, blocks, files, sources, tools, mcp_servers, metadata;
//     an agent names its blocks by id and holds its messages.
//   - the first form: core_memory, messages and system at the top.
//
// The block "human" holds what the agent knows about the person: its statements
// are memories. The block "persona" is about the agent and is none. Other
// blocks are context of the agent's work. Messages become a conversation.
// Passages of the archive are not in the file.
//
// An agent file may hold secrets (tool_exec_environment_variables, settings of
// servers and models): they are never kept, only counted.
package letta
