package gen

import (
	"fmt"
	"strings"
	"time"
)

// What the made-up person is like.
var (
	profile      = []string{"Preferred name: Robin", "Role: Gardener", "Grows tomatoes on a balcony in Porto."}
	instructions = "Answer in short sentences.\nAlways use metric units."
)

// context adds the hidden messages that a conversation begins with: an empty
// system message, custom instructions in all, a memory snapshot in some.
func (t *talkMaker) context(talk int) {
	t.truth.Empty++
	t.hide(t.say("system", textContent(""), object{"is_visually_hidden_from_conversation": true}))
	if t.Bare {
		return
	}
	m := t.say("user", object{
		"content_type": "user_editable_context",
		"user_profile": "The user provided the following information about themselves. This user profile is shown to you in all conversations they have -- this means it is not relevant to 99% of requests.\nBefore answering, quietly think about whether the user's request is related to the profile.\nOtherwise don't acknowledge the profile.\nUser profile:\n```" +
			profile[0] + "\n" + profile[1] + "\nOther Information: " + profile[2] + "\n```",
		"user_instructions": "The user provided the additional info about how they would like you to respond:\n```" + instructions + "```",
	}, object{"is_user_system_message": true, "is_visually_hidden_from_conversation": true})
	t.hide(m)
	t.contexts++
	for _, p := range append(profile, instructions) {
		t.plant(p)
	}
	set := ""
	if talk%4 == 2 {
		set = t.snapshot(talk)
	}
	if set == "" {
		t.truth.Empty++
	}
	t.hide(t.say("system", object{
		"content_type": "model_editable_context", "model_set_context": set,
		"repository": nil, "repo_summary": nil, "structured_context": nil,
	}, object{"is_visually_hidden_from_conversation": true}))
}

// hide is how the site marks what it does not show.
func (t *talkMaker) hide(m object) {
	m["weight"] = 0.0
	if t.Era == Sharded {
		m["create_time"] = nil
	}
}

func (t *talkMaker) plant(content string) {
	t.truth.Memories = append(t.truth.Memories, Fact{Content: content, Talk: t.plan.ID})
}

// snapshot lists what was remembered in the conversations before.
func (t *talkMaker) snapshot(talk int) string {
	var lines []string
	for i := range talk {
		day := start.AddDate(0, 0, i).Format(time.DateOnly)
		lines = append(lines, fmt.Sprintf("%d. [%s]. %s", i+1, day, fact(i)))
		t.plant(fact(i))
		t.truth.Records++
	}
	return strings.Join(lines, "\n")
}

// fact is what is written to the tool bio in one conversation.
func fact(talk int) string {
	return fmt.Sprintf("User prefers %s number %d.", words[20+talk%20], talk)
}

// remember adds a write to the tool bio and its answer. Every fifth also asks
// to forget what the conversation before wrote.
func (t *talkMaker) remember(talk int) {
	said := fact(talk)
	t.plant(said)
	t.truth.Records++
	if talk%5 == 4 {
		said += "\nForget that " + fact(talk-1)
		t.truth.Forgotten = append(t.truth.Forgotten, fact(talk-1))
	}
	content := textContent(said)
	if talk%2 == 1 {
		content = object{"content_type": "code", "language": "unknown", "text": said}
	}
	m := t.say("assistant", content, object{"model_slug": "gpt-4o"})
	m["recipient"] = "bio"
	if talk%3 == 1 {
		m["channel"] = "commentary"
	}
	reply := t.say("tool", textContent("Model set context updated."), object{})
	reply["recipient"] = "assistant"
	reply["author"] = object{"role": "tool", "name": "bio", "metadata": object{}}
}
