package gen

import (
	"fmt"
	"time"
)

// DeepSeek makes an export of n conversations: every second answer is thought
// about, every third conversation has a retry. Old exports have no fragments.
func DeepSeek(seed uint64, n int, old bool) ([]byte, Truth) {
	d := &deepSeek{maker: newMaker(seed), old: old}
	d.truth.Account = d.uuid()
	var talks []any
	for i := range n {
		talks = append(talks, d.talk(i))
	}
	d.truth.Records += d.truth.Messages + 1 // user.json
	return Zip([]File{
		{Name: "conversations.json", Data: toJSON(talks)},
		{Name: "user.json", Data: toJSON(object{"user_id": d.truth.Account, "email": "", "mobile": object{"mobile_number": "000", "area_code": "+86"}})},
	}), d.truth
}

type deepSeek struct {
	maker
	old   bool
	truth Truth
}

func (d *deepSeek) talk(i int) object {
	china := time.FixedZone("", 8*3600)
	stamp := func(t time.Time) string { return t.In(china).Format("2006-01-02T15:04:05.000000-07:00") }
	began := day.Add(time.Duration(i) * time.Hour)
	planted := Talk{ID: d.uuid(), Title: fmt.Sprintf("Talk %d about %s", i, d.sentence(2))}
	mapping := object{"root": object{"id": "root", "parent": nil, "children": []any{"1"}, "message": nil}}
	d.truth.Records++ // the root
	add := func(id, parent string, at time.Time, m object) {
		m["inserted_at"], m["model"], m["files"] = stamp(at), "deepseek-chat", []any{}
		mapping[id] = object{"id": id, "parent": parent, "children": []any{}, "message": m}
		planted.Messages++
	}
	asked, answered := d.sentence(7), d.sentence(11)
	add("1", "root", began, d.says("REQUEST", asked))
	if i%3 == 0 {
		add("3", "1", began.Add(time.Second), d.says("RESPONSE", "An answer that was retried."))
	}
	answer := d.says("RESPONSE", answered)
	if i%2 == 0 {
		answer = d.thinks("Let me think of "+d.sentence(2), answered)
		planted.Messages++
	}
	add("10", "1", began.Add(2*time.Second), answer)
	planted.Said, planted.Path, planted.Leaf = []string{asked}, []string{"1", "10"}, "10"
	d.truth.Conversations = append(d.truth.Conversations, planted)
	d.truth.Messages += planted.Messages
	return object{"id": planted.ID, "title": planted.Title, "inserted_at": stamp(began), "updated_at": stamp(began.Add(time.Minute)), "mapping": mapping}
}

func (d *deepSeek) says(kind, text string) object {
	if d.old {
		return object{"role": map[string]string{"REQUEST": "USER", "RESPONSE": "ASSISTANT"}[kind], "content": text, "reasoning_content": nil}
	}
	return object{"fragments": []any{object{"type": kind, "content": text}}}
}

func (d *deepSeek) thinks(thought, text string) object {
	if d.old {
		return object{"role": "ASSISTANT", "content": text, "reasoning_content": thought}
	}
	return object{"fragments": []any{object{"type": "THINK", "content": thought}, object{"type": "RESPONSE", "content": text}}}
}
