package claude_test

import (
	"maps"
	"slices"
)

func sorted(m map[string]string) []string { return slices.Sorted(maps.Keys(m)) }

const usersJSON = `[{"uuid":"acc-1","full_name":"Sam Example","email_address":"sam@example.org","verified_phone_number":null}]`

// oldChain has no parents, no content, and the oldest name of the list.
const oldChain = `[{"uuid":"c-old","name":"Old\ntalk","created_at":"2023-09-01T10:00:00.000000+00:00","updated_at":"2023-09-01T10:05:00.000000+00:00",
 "account":{"uuid":"acc-1"},"messages":[
  {"uuid":"o1","sender":"human","text":"How do clocks work?","created_at":"2023-09-01T10:00:00.000000+00:00"},
  {"uuid":"o2","sender":"assistant","text":"A spring, and something that swings.","created_at":"2023-09-01T10:00:00.000000+00:00"},
  {"uuid":"o3","sender":"human","text":"And without a spring?","created_at":"2023-09-01T10:01:00.000000+00:00"}]}]`

// everyBlock holds each kind of block, and some that nobody knows.
const everyBlock = `[{"uuid":"c-blocks","name":"Blocks","summary":"A talk about clocks","created_at":"2026-05-01T10:00:00.123456Z","updated_at":"2026-05-02T10:00:00.000000Z",
 "account":{"uuid":"acc-1"},"settings":{"new":true},"chat_messages":[
 {"uuid":"b1","parent_message_uuid":"00000000-0000-4000-8000-000000000000","sender":"human","text":"Look at this",
  "content":[{"type":"injected_prompt_block","prompt":"The person is called Sam and has a cat.","injection_source":"memory_block_head"},
   {"type":"text","text":"Look at this","citations":[]},{"type":"image","file_uuid":"img-1"}],
  "created_at":"2026-05-01T10:00:00.123456Z","updated_at":"2026-05-01T10:00:00.123456Z",
  "attachments":[{"file_name":"a.txt","file_size":12,"file_type":"txt","extracted_content":"body text"},{"file_name":"","file_size":3,"file_type":"txt","extracted_content":"pasted words"}],
  "files":[{"file_uuid":"f-1","file_name":"a.txt"},{"file_uuid":"f-2","file_name":"photo.png"},{"file_uuid":"f-3","file_name":null}]},
 {"uuid":"b2","parent_message_uuid":"b1","sender":"assistant","text":"Let me see.Here it is.","created_at":"2026-05-01T10:00:01.000000Z","content":[
   {"type":"token_budget","remaining":1000},
   {"type":"thinking","thinking":"A clock, I think.","summaries":[{"summary":"Looking"}],"cut_off":false},
   {"type":"text","text":"Let me see.","citations":[{"uuid":"ci","start_index":0,"end_index":5,"details":{"type":"web_search_citation","url":"https://example.org/clocks"}}]},
   {"type":"tool_use","id":null,"name":"web_search","input":{"query":"clock"},"message":"Searching","integration_name":null},
   {"type":"tool_use","id":"t2","name":"repl","input":"1+1"},
   {"type":"thinking","thinking":"","thinking_hidden":true,"summaries":[{"summary":"Comparing results"}]},
   {"type":"tool_result","tool_use_id":"t2","name":"repl","is_error":false,"content":"2"},
   {"type":"tool_result","tool_use_id":null,"name":"web_search","is_error":false,"content":[
     {"type":"knowledge","title":"Clocks","url":"https://example.org/clocks","text":"All about clocks.","metadata":{"site":"Example"}},
     {"type":"text","text":"End of results"},{"type":"image","file_uuid":"img-2"},{"type":"local_resource","name":"clock.pdf","uuid":"lr"},{"type":"hologram","beam":1}]},
   {"type":"text","text":"Here it is.","citations":[]},
   {"type":"tool_use","id":"t3","name":"artifacts","input":{"id":"clock","command":"create","type":"text/markdown","title":"Clock","content":"# Clock\n\n| a | b |\n|---|---|\n| 1 | 2 |","version_uuid":"v"}},
   {"type":"tool_use","id":"t4","name":"create_file","input":{"path":"/out/clock.py","file_text":"print('tick')"}},
   {"type":"tool_result","tool_use_id":"t4","name":"create_file","content":[{"type":"text","text":"Tool result too large for context, saved"}],"structured_content":{"path":"/out/clock.py"}},
   {"type":"flash_block","glow":true}]},
 {"uuid":"b3","parent_message_uuid":"b2","sender":"human","text":"","content":[],"created_at":"2026-05-01T10:00:02.000000Z","attachments":[],"files":[]},
 {"uuid":"b4","parent_message_uuid":"b3","sender":"assistant","text":"Before\n` + "```\\nThis block is not supported on your current device yet.\\n```" + `\nAfter","content":[],"created_at":"2026-05-01T10:00:02.000000Z"},
 {"uuid":"b5","parent_message_uuid":"b4","sender":"human","text":"Spoken","content":[{"type":"voice_note","title":"Note","text":"Spoken words"}],"created_at":"2026-05-01T10:00:03.000000Z"},
 {"uuid":"b6","parent_message_uuid":"b5","sender":"assistant","text":"","content":[{"type":"text","text":"So: <antArtifact identifier=\"k\" type=\"application/vnd.ant.react\" title=\"K\">\n<p>tick</p>\n</antArtifact> Done."},
   {"type":"tool_result","tool_use_id":"gone","name":"web_fetch","content":[{"type":"text","text":"orphan"}]}],"created_at":"2026-05-01T10:00:04.000000Z"}]}]`

const memoryFiles = `{"account_uuid":"acc-1",
 "conversations_memory":"**Work context**\nSam repairs clocks.",
 "project_memories":{"p-1":"**Purpose & context**\nA page for the workshop.\n\n**Tools & resources**\n- Uses plain HTML\n- Uses a camera","p-2":""},
 "surprise":1,
 "memory_files":[
  {"path":"/profile.md","content":"---\nname: Profile\ndescription: who: Sam, and what: clocks\nsources: [backfill, chat]\naliases:\n  - \"me\"\n---\n# Basics\n- [stated] Repairs old clocks in Tromsø\n  since 2011\n- [inferred] Speaks Norwegian\n\n- Lives with [[people/kari]] near [[north-pole]]\n- [observed] Drinks tea\n","updated_at":"2026-08-30T10:00:00.123456789Z"},
  {"path":"/people/kari.md","content":"---\nname: Kari\n---\n- [stated] Is a nurse\n- [stated] Kari likes skiing\n","updated_at":"2026-08-31T10:00:00Z","pinned":true},
  {"path":"/preferences.md","content":"- [stated] Short answers\n- [stated] Short answers\n","updated_at":"2026-08-31T10:00:00Z"},
  {"path":"/projects/p-1/index.md","content":"---\nname: Workshop page\n---\n"},
  {"path":"/projects/p-1/notes.md","content":"No front matter: [stated] is not a mark here"},
  {"path":"/areas/broken.md","content":"---\nname: never closed\n- [stated] Still read"}]}`

const designChat = `{"uuid":"d1","title":"A poster","project":{"uuid":"dp","name":"Posters"},"created_at":"2026-06-01T10:00:00.123456789Z","messages":[
 {"uuid":"dm1","role":"user","content":{"content":"Draw a clock"},"timestamp":"2026-06-01T10:00:00.123456789+00:00"},
 {"uuid":"dm2","role":"assistant","content":{"contentBlocks":[
   {"type":"thinking","thinking":"Round, with hands."},{"type":"text","text":"Here."},
   {"type":"tool_call","toolCall":{"id":"x","name":"draw","input":{"shape":"circle"},"output":"done","ms":12}},
   {"type":"user_interjection","message":{"content":"Bigger!"}},{"type":"error","message":"out of ink"},{"type":"sparkle"}]},"timestamp":"2026-06-01T10:00:05Z"}]}`

const artifactTalk = `[{"uuid":"c-art","name":"Art","created_at":"2026-09-01T10:00:00Z","updated_at":"2026-09-01T10:00:00Z","account":{"uuid":"acc-1"},"chat_messages":[
 {"uuid":"m1","parent_message_uuid":null,"sender":"assistant","text":"","created_at":"2026-09-01T10:00:00Z","content":[
  {"type":"tool_use","id":"t1","name":"Artifact","input":{"title":"Clock"}},
  {"type":"tool_result","tool_use_id":"t1","name":"Artifact","content":[],"display_content":{"type":"x","published_artifact_id":"a1"}},
  {"type":"tool_result","tool_use_id":"t9","name":"Artifact","content":[],"display_content":{"published_artifact_id":"a9"}}]}]}]`

const artifactJSON = `{"id":"a","kind":"html","visibility":"private","versions":[{"id":"v1","title":"Clock","created_at":"2026-09-01T10:00:00"}],"active_version":"v1"}`
