package bridge

import (
	"context"

	"keepsake/backend/core"
)

// SensitiveView says how many memories are about sensitive topics, and about which.
type SensitiveView struct {
	Total   int         `json:"total"`
	Topics  []CountView `json:"topics"`  // those of which there are any; a memory may be about several
	ByWords int         `json:"byWords"` // memories of which only the words were looked at so far
	// Items are the memories that are about any, the first 200.
	Items []SensitiveItemView `json:"items"`
}

// SensitiveItemView is a memory that is about sensitive topics.
type SensitiveItemView struct {
	ID     string   `json:"id"`
	Text   string   `json:"text"` // its beginning
	Topics []string `json:"topics"`
}

func sensitiveView(s core.SensitiveListing) SensitiveView {
	item := func(i core.SensitiveItem) SensitiveItemView {
		return SensitiveItemView{i.ID, i.Content, words(i.Topics)}
	}
	return SensitiveView{Total: s.Sensitive, Topics: tally(s.ByTopic), ByWords: s.ByWords, Items: list(s.Items, item)}
}

// SensitiveMarkView is a sensitive topic of one memory.
type SensitiveMarkView struct {
	Topic    string `json:"topic"`
	ByPerson bool   `json:"byPerson"` // the person said that it is one, or that it is none
	Is       bool   `json:"is"`       // false only where the person said that it is none
}

func sensitiveMarkView(m core.SensitiveMark) SensitiveMarkView {
	return SensitiveMarkView{string(m.Topic), m.ByPerson, m.Is}
}

// Sensitive lists the sensitive topics of a memory.
func (l *Library) Sensitive(id string) ([]SensitiveMarkView, error) {
	return call(l.k, func(ctx context.Context) ([]SensitiveMarkView, error) {
		marks, err := l.k.core.Sensitive(ctx, id)
		return list(marks, sensitiveMarkView), err
	})
}

// MarkSensitive says that a memory is about a topic, "yes", or is not, "no"; "" leaves it to the
// program again. It returns the memory's topics.
func (l *Library) MarkSensitive(id, topic, answer string) ([]SensitiveMarkView, error) {
	return call(l.k, func(ctx context.Context) ([]SensitiveMarkView, error) {
		var is *bool
		if answer != "" {
			is = new(answer == "yes")
		}
		if err := l.k.core.MarkSensitive(ctx, id, core.SensitiveTopic(topic), is); err != nil {
			return nil, err
		}
		marks, err := l.k.core.Sensitive(ctx, id)
		return list(marks, sensitiveMarkView), err
	})
}
