package sample

func claudeFiles() []file {
	return []file{
		{"users.json", []any{object{"uuid": "6f1c2d3e-0000-4000-8000-000000000001", "full_name": "Marina Alves", "email_address": "marina@example.org"}}},
		{"conversations.json", []any{garden(), letter(), herbs()}},
		{"memories.json", []any{memories()}},
		{"projects.json", []any{project()}},
	}
}

const (
	account = "6f1c2d3e-0000-4000-8000-000000000001"
	school  = "6f1c2d3e-0000-4000-8000-0000000000a1"
	noOne   = "00000000-0000-4000-8000-000000000000" // parent of a first message
)

func garden() object {
	return conversation("6f1c2d3e-0000-4000-8000-00000000c001", "A school garden that survives August", []object{
		said("g1", noOne, "human", "2026-03-02T09:00:00.000000Z", "I'm designing a garden for a primary school in Porto. Nobody waters it in August. Which plants?"),
		said("g2", "g1", "assistant", "2026-03-02T09:00:20.000000Z", "Choose plants that rest in the heat:\n\n1. *Lavandula stoechas*\n2. *Rosmarinus officinalis*, the creeping form\n3. *Cistus salviifolius*\n\nMulch 8 cm deep in June."),
		looked("g3", "g1", "assistant", "2026-03-02T09:01:10.000000Z", "For a school I would start with herbs that children can touch: rosemary, sage, thyme, and a fig for shade."),
		said("g4", "g3", "human", "2026-03-02T09:02:00.000000Z", "Yes, things to touch. The budget is 4,000 euros."),
		said("g5", "g4", "assistant", "2026-03-02T09:02:30.000000Z", "That buys about 120 herbs, one fig of 2 m, 12 m³ of mulch, and a bench."),
	})
}

func letter() object {
	return conversation("6f1c2d3e-0000-4000-8000-00000000c002", "Wording a letter to the council", []object{
		attached(said("l1", noOne, "human", "2026-04-10T16:20:00.000000Z", "Help me ask the council for two parking places to become a rain garden. Polite, one page. My notes are attached."),
			"notes.txt", "Rua do Almada, numbers 14 to 18. 25 square metres. Rain of 1,900 square metres of roof."),
		said("l2", "l1", "assistant", "2026-04-10T16:20:40.000000Z", "> Dear councillors,\n>\n> two parking places in Rua do Almada could hold the rain of the whole street…\n\nShall I add the drawing as an appendix?"),
	})
}

func herbs() object {
	return conversation("6f1c2d3e-0000-4000-8000-00000000c003", "Ervas para a sala de aula", []object{
		said("e1", noOne, "human", "2026-04-22T07:45:00.000000Z", "Que ervas aguentam dentro da sala, com pouca luz?"),
		said("e2", "e1", "assistant", "2026-04-22T07:45:20.000000Z", "Hortelã e cebolinho aguentam melhor:\n\n| erva | luz | água |\n|---|---|---|\n| hortelã | pouca | muita |\n| cebolinho | média | média |\n| manjericão | muita | média |"),
	})
}

func conversation(id, name string, messages []object) object {
	return object{"uuid": id, "name": name, "summary": "", "created_at": messages[0]["created_at"],
		"updated_at": messages[len(messages)-1]["created_at"], "account": object{"uuid": account}, "chat_messages": messages}
}

func said(id, parent, sender, when, text string) object {
	block := object{"type": "text", "text": text, "citations": []any{}, "start_timestamp": when, "stop_timestamp": when}
	return object{"uuid": "6f1c2d3e-0000-4000-8000-0000000000" + id, "parent_message_uuid": parentOf(parent), "sender": sender,
		"text": text, "content": []any{block}, "created_at": when, "updated_at": when, "attachments": []any{}, "files": []any{}}
}

// looked is an answer that was thought about and looked up.
func looked(id, parent, sender, when, text string) object {
	m := said(id, parent, sender, when, text)
	m["content"] = append([]any{
		object{"type": "thinking", "thinking": "A school: nothing poisonous, nothing with thorns. Shade matters in August.", "summaries": []any{}, "cut_off": false},
		object{"type": "tool_use", "id": nil, "name": "web_search", "input": object{"query": "herbs safe for school gardens dry summer"}},
		object{"type": "tool_result", "tool_use_id": nil, "name": "web_search", "is_error": false, "content": []any{
			object{"type": "knowledge", "title": "Gardens that drink little", "url": "https://example.org/gardens", "text": "Rosemary, sage and thyme rest through dry summers."}}},
	}, m["content"].([]any)...)
	return m
}

// attached adds a text file to a message.
func attached(m object, name, content string) object {
	m["attachments"] = []any{object{"file_name": name, "file_size": len(content), "file_type": "txt", "extracted_content": content}}
	m["files"] = []any{object{"file_uuid": "6f1c2d3e-0000-4000-8000-0000000000f1", "file_name": name}}
	return m
}

func parentOf(id string) string {
	if id == noOne {
		return noOne
	}
	return "6f1c2d3e-0000-4000-8000-0000000000" + id
}

func memories() object {
	return object{"account_uuid": account,
		"conversations_memory": "**Work context**\nMarina is a landscape architect in Porto who designs gardens for schools.",
		"project_memories":     object{school: "**Purpose & context**\nA garden for a primary school, with a budget of 4,000 euros."},
		"memory_files": []any{
			object{"path": "/profile.md", "updated_at": "2026-05-01T08:00:00Z", "content": "---\nname: Profile\ndescription: Who Marina is\nsources: [chat]\n---\n- [stated] Works as a landscape architect in Porto\n- [stated] Marina prefers trains to planes.\n- [inferred] Speaks Portuguese and English\n"},
			object{"path": "/people/rui.md", "updated_at": "2026-05-02T08:00:00Z", "content": "---\nname: Rui\ndescription: Marina's brother\nsources: [chat]\n---\n- [stated] Is Marina's brother and a carpenter\n- [inferred] Helps with benches for [[school-garden]]\n"},
			object{"path": "/preferences.md", "updated_at": "2026-05-02T08:00:00Z", "content": "---\nname: Preferences\nsources: [chat]\n---\n- [stated] Likes drawings before tables\n- [stated] Wants sources named\n"},
		}}
}

func project() object {
	return object{"uuid": school, "name": "School garden", "description": "A garden that survives August", "is_private": true, "is_starter_project": false,
		"prompt_template": "Prices are in euros. Plants must be safe for children.", "created_at": "2026-03-01T09:00:00.000000+00:00", "updated_at": "2026-03-01T09:00:00.000000+00:00",
		"creator": object{"uuid": account, "full_name": "Marina Alves"}, "docs": []any{
			object{"uuid": "6f1c2d3e-0000-4000-8000-0000000000d1", "filename": "brief.md", "content": "# Brief\n\nShade, touch, no water in August.", "created_at": "2026-03-01T09:05:00.000000+00:00"}}}
}
