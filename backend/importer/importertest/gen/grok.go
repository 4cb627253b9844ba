package gen

import (
	"cmp"
	"fmt"
	"time"
)

// GrokOptions of a generated export of Grok. Zero values make a small full one.
type GrokOptions struct {
	Seed          uint64
	Conversations int // 0 is 6
	Turns         int // 0 is 3
	// Times is how they are written: "bson", "date" or "plain"; "" is bson.
	Times string
}

// Grok makes the zip of grok.com: every third conversation has a retry, every
// second a thought, the first a file that is there and one that is not.
func Grok(o GrokOptions) ([]byte, Truth) {
	o.Conversations, o.Turns = cmp.Or(o.Conversations, 6), cmp.Or(o.Turns, 3)
	g := &grok{maker: newMaker(o.Seed), GrokOptions: o}
	g.truth.Account = g.uuid()
	var talks []any
	for i := range o.Conversations {
		talks = append(talks, g.talk(i))
	}
	told := g.truth.plant("Answer like a clockmaker.")
	g.truth.Records = g.truth.Messages + 4 // a project, a task, two files of the account
	top := "ttl/30d/export_data/" + g.uuid() + "/"
	files := []File{
		{Name: top + "prod-grok-backend.json", Data: toJSON(object{"conversations": talks,
			"projects":    []any{object{"workspace_id": g.uuid(), "name": "Workshop", "custom_personality": told, "create_time": "2026-01-01T00:00:00Z"}},
			"tasks":       []any{object{"id": "t"}},
			"media_posts": []any{}})},
		{Name: top + "prod-mc-auth-mgmt-api.json", Data: toJSON(object{"user": object{"email": "sam@example.org"}})},
		{Name: top + "prod-mc-billing.json", Data: toJSON(object{"balance": 0})},
	}
	return Zip(append(files, g.files(top)...)), g.truth
}

type grok struct {
	maker
	GrokOptions
	truth Truth
	asset string // id of the upload that the export holds
}

func (g *grok) files(top string) []File {
	return []File{{Name: top + "prod-mc-asset-server//" + g.asset + "/content", Data: []byte("\x89PNG\r\n\x1a\npicture"), Store: true}}
}

func (g *grok) stamp(t time.Time) any {
	switch plain := t.UTC().Format("2006-01-02T15:04:05.000000Z"); g.Times {
	case "date":
		return object{"$date": plain}
	case "plain":
		return plain
	}
	return object{"$date": object{"$numberLong": fmt.Sprint(t.UnixMilli())}}
}

func (g *grok) talk(i int) object {
	id, began := g.uuid(), day.Add(time.Duration(i)*time.Hour)
	planted := Talk{ID: id, Title: fmt.Sprintf("Talk %d about %s", i, g.sentence(2))}
	var responses []any
	add := func(r object) {
		if len(responses)%2 == 0 {
			delete(r, "share_link")
		}
		responses = append(responses, object{"response": r, "share_link": nil})
		planted.Messages++
	}
	parent := ""
	for t := range g.Turns {
		when := began.Add(time.Duration(t) * time.Minute)
		asked, answered, said := g.uuid(), g.uuid(), g.sentence(8)
		question := object{"_id": asked, "conversation_id": id, "message": said, "sender": "human", "create_time": g.stamp(when), "model": ""}
		if parent != "" {
			question["parent_response_id"] = parent
		} else if i%2 == 0 {
			question["parent_response_id"] = nil
		}
		if i == 0 && t == 0 {
			g.asset = g.uuid()
			question["file_attachments"] = []any{g.asset, g.uuid()}
			g.truth.Attachments, g.truth.Missing = 1, 1
		}
		add(question)
		if i%3 == 0 && t == 0 {
			add(object{"_id": g.uuid(), "message": "An answer that was retried.", "sender": "ASSISTANT", "parent_response_id": asked, "create_time": g.stamp(when.Add(time.Second)), "model": "grok-3"})
		}
		answer := object{"_id": answered, "message": g.sentence(12), "sender": []string{"assistant", "ASSISTANT", "grok-3"}[(i+t)%3], "parent_response_id": asked,
			"create_time": g.stamp(when.Add(2 * time.Second)), "model": "grok-4", "partial": false, "steps": []any{}}
		if i%2 == 1 && t == 0 {
			answer["thinking_trace"] = "Let me think of " + g.sentence(2)
			planted.Messages++
		}
		add(answer)
		planted.Said, planted.Path = append(planted.Said, said), append(planted.Path, asked, answered)
		parent = answered
	}
	planted.Leaf = parent
	g.truth.Conversations = append(g.truth.Conversations, planted)
	g.truth.Messages += planted.Messages
	return object{"conversation": object{"id": id, "user_id": g.truth.Account, "create_time": began.UTC().Format(time.RFC3339Nano), "modify_time": began.Add(time.Hour).UTC().Format(time.RFC3339Nano),
		"title": planted.Title, "summary": "", "starred": nil, "system_prompt_name": "", "leaf_response_id": parent, "temporary": false}, "responses": responses}
}

// XArchive makes the archive of an X account with chats of Grok in it, their
// messages newest first and mixed.
func XArchive(seed uint64) ([]byte, Truth) {
	g := &grok{maker: newMaker(seed)}
	g.truth.Account = "1234567890"
	var lines []any
	for turn := range 2 {
		for chat := range 2 {
			when, id := day.Add(time.Duration(10*turn+chat)*time.Minute), fmt.Sprint(1700000000000000000+chat)
			said := g.sentence(6)
			line := func(name, text string, at time.Time) object {
				return object{"grokChatItem": object{"chatId": id, "accountId": g.truth.Account, "createdAt": at.Format("2006-01-02T15:04:05.000Z"),
					"sender": object{"value": 1, "name": name}, "message": text, "grokMode": "Normal", "postIds": []any{}}}
			}
			lines = append([]any{line("Agent", g.sentence(9), when), line("User", said, when)}, lines...)
			if turn == 0 {
				g.truth.Conversations = append(g.truth.Conversations, Talk{ID: id, Title: said})
			}
			planted := &g.truth.Conversations[chat]
			planted.Said, planted.Messages = append(planted.Said, said), planted.Messages+2
			g.truth.Messages += 2
		}
	}
	g.truth.Records = g.truth.Messages + 2 // two scripts beside it
	script := func(name string, v any) File {
		return File{Name: "data/" + name + ".js", Data: append([]byte("window.YTD."+name+".part0 = "), toJSON(v)...)}
	}
	files := []File{script("account", []any{}), script("tweets", []any{})}
	chats := File{Name: "data/grok-chat-item.js", Data: append([]byte("window.YTD.grok_chat_item.part0 = "), toJSON(lines)...)}
	return Zip(append(files, chats)), g.truth
}
