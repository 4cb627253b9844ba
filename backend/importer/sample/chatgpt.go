package sample

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"time"
)

// turn is one message of a sample conversation with ChatGPT.
type turn struct {
	id, parent, role, text string
	recipient              string // "bio" writes a memory, "instructions" carries custom instructions and is hidden
	at                     time.Time
	parts                  []any // instead of text
	attachments            []any
}

func chatGPTFiles() []file {
	return []file{
		{"conversations.json", []any{kitchen(), journey(), portuguese()}},
		{"user.json", object{"id": "user-sample", "email": "marina@example.org"}},
		{"file-sampleplan.png", drawing()},
	}
}

func at(day, hour, minute int) time.Time {
	return time.Date(2025, time.May, day, hour, minute, 0, 0, time.UTC)
}

func kitchen() object {
	return talk("sample-kitchen", "Planning the new kitchen", "k7", []turn{
		{id: "k0", role: "user", at: at(3, 18, 2), parts: []any{}, recipient: "instructions"},
		{id: "k1", parent: "k0", role: "user", text: "We are redoing the kitchen. It is 3.2 by 2.8 metres and I cook almost every day. I am allergic to walnuts, so no walnut wood please.", at: at(3, 18, 4)},
		{id: "k2", parent: "k1", role: "assistant", recipient: "bio", text: "Marina is allergic to walnuts.\nMarina is redoing her kitchen, which measures 3.2 by 2.8 metres.", at: at(3, 18, 4)},
		{id: "k3", parent: "k2", role: "assistant", at: at(3, 18, 5), text: "Noted: no walnut. For that room, three layouts fit:\n\n" +
			"| layout | run of worktop | good for |\n|---|---|---|\n| one wall | 3.2 m | eating in the kitchen |\n| galley | 5.4 m | cooking together |\n| L shape | 4.6 m | a small table |\n\nWith daily cooking I would look at the **galley** first."},
		{id: "k4", parent: "k3", role: "user", at: at(3, 18, 9), parts: []any{
			object{"content_type": "image_asset_pointer", "asset_pointer": "file-service://file-sampleplan", "size_bytes": 1200, "width": 160, "height": 120},
			"Here is the plan. Where would the oven go?"},
			attachments: []any{object{"id": "file-sampleplan", "name": "plan.png", "mime_type": "image/png"}}},
		{id: "k5", parent: "k4", role: "assistant", at: at(3, 18, 10), text: "On the short wall, at eye level: you keep the long run free."},
		{id: "k6", parent: "k3", role: "user", at: at(3, 18, 14), text: "And if we keep the table? I prefer metric measures and short answers."},
		{id: "k6b", parent: "k6", role: "assistant", recipient: "bio", text: "Marina prefers metric measures and short answers.", at: at(3, 18, 14)},
		{id: "k7", parent: "k6b", role: "assistant", at: at(3, 18, 15), text: "Then the L shape: 2.8 m + 1.8 m, the table under the window."},
	})
}

func journey() object {
	return talk("sample-train", "Lisbon to Vienna by train", "t4", []turn{
		{id: "t1", role: "user", at: at(11, 8, 30), text: "I no longer fly. How do I get from Lisbon to Vienna by train in September?"},
		{id: "t2", parent: "t1", role: "assistant", recipient: "bio", at: at(11, 8, 30), text: "Marina prefers trains to planes.\nMarina plans to travel from Lisbon to Vienna by train in September 2025."},
		{id: "t3", parent: "t2", role: "user", at: at(11, 8, 40), text: "Can you write me a small script that adds up the hours?"},
		{id: "t4", parent: "t3", role: "assistant", at: at(11, 8, 41), text: "```python\nlegs = {\"Lisbon–Madrid\": 9.5, \"Madrid–Barcelona\": 2.75, \"Barcelona–Paris\": 6.75, \"Paris–Vienna\": 14}\nprint(sum(legs.values()), \"hours\")  # 33.0 hours\n```\n\nThe last leg is a night train."},
	})
}

func portuguese() object {
	return talk("sample-receita", "Receita de caldo verde", "r2", []turn{
		{id: "r1", role: "user", at: at(20, 19, 0), text: "Como faço caldo verde para seis pessoas? Não como chouriço, sou vegetariana."},
		{id: "r1b", parent: "r1", role: "assistant", recipient: "bio", at: at(20, 19, 0), text: "Marina é vegetariana."},
		{id: "r2", parent: "r1b", role: "assistant", at: at(20, 19, 1), text: "Use **1 kg de batatas**, duas cebolas, quatro dentes de alho e 400 g de couve cortada bem fina. No lugar do chouriço, páprica defumada."},
	})
}

func talk(id, title, leaf string, turns []turn) object {
	mapping := object{}
	children := map[string][]string{}
	for _, t := range turns {
		parent := t.parent
		if parent == "" {
			parent = id + "-root"
		}
		children[parent] = append(children[parent], t.id)
		mapping[t.id] = object{"id": t.id, "parent": parent, "message": message(t)}
	}
	mapping[id+"-root"] = object{"id": id + "-root", "parent": nil, "message": nil}
	for name, node := range mapping {
		node.(object)["children"] = append([]string{}, children[name]...)
	}
	return object{"id": id, "conversation_id": id, "title": title, "create_time": seconds(turns[0].at),
		"update_time": seconds(turns[len(turns)-1].at), "mapping": mapping, "current_node": leaf, "default_model_slug": "gpt-4o", "is_archived": false}
}

func message(t turn) object {
	m := object{"id": t.id, "author": object{"role": t.role}, "create_time": seconds(t.at), "status": "finished_successfully",
		"weight": 1.0, "recipient": "all", "metadata": object{}}
	switch t.recipient {
	case "instructions":
		m["content"] = object{"content_type": "user_editable_context",
			"user_profile":      "The user provided the following information about themselves. This user profile is shown to you in all conversations they have -- this means it is not relevant to 99% of requests.\nUser profile:\n```Preferred name: Marina\nRole: landscape architect in Porto```",
			"user_instructions": "The user provided the additional info about how they would like you to respond:\n```Answer in the language I write in. Say so when you are not sure.```"}
		m["metadata"] = object{"is_user_system_message": true, "is_visually_hidden_from_conversation": true}
		m["weight"] = 0.0
		return m
	case "bio":
		m["recipient"] = "bio"
	}
	content := object{"content_type": "text", "parts": []any{t.text}}
	if t.parts != nil {
		content = object{"content_type": "multimodal_text", "parts": t.parts}
		m["metadata"] = object{"attachments": t.attachments}
	}
	m["content"] = content
	return m
}

func seconds(t time.Time) float64 { return float64(t.Unix()) }

// drawing is the plan of a kitchen in two colours.
func drawing() []byte {
	plan := image.NewRGBA(image.Rect(0, 0, 160, 120))
	ink, paper := color.RGBA{0x1d, 0x1b, 0x16, 0xff}, color.RGBA{0xfb, 0xfa, 0xf7, 0xff}
	for y := range 120 {
		for x := range 160 {
			plan.Set(x, y, paper)
			wall := x < 6 || x >= 154 || y < 6 || y >= 114
			counter := x < 40 && y < 90 || y < 34 && x < 120
			edge := counter && (x == 39 && y >= 34 || y == 33 && x >= 39 || x == 119 || y == 89)
			if wall || edge {
				plan.Set(x, y, ink)
			}
		}
	}
	var b bytes.Buffer
	_ = png.Encode(&b, plan) // writing to memory does not fail
	return b.Bytes()
}
