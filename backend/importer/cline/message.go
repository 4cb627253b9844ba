package cline

import (
	"regexp"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"keepsake/backend/importer"
	"keepsake/backend/importer/jsonstream"
	"keepsake/backend/memory"
)

// talk is a task that is read.
type talk struct {
	*reading
	d       *importer.ConversationDraft
	asked   string   // what the person said first
	unknown [][]byte // entries of a kind that is not known
}

// speaker says what an entry of the window is.
type speaker int

const (
	unknown   speaker = iota
	person            // said by the person
	assistant         // said by the assistant
	thought
	call    // a call of a tool
	result  // what the last call gave
	program // a note of the program
)

// speakers are the kinds of entries, of "say" and "ask" alike.
func speakers(kind string) speaker {
	switch kind {
	case "task", "user_feedback", "user_feedback_diff":
		return person
	case "text", "completion_result", "plan_mode_respond", "followup", "plan_completion", "new_task", "condense", "summarize_task":
		return assistant
	case "reasoning":
		return thought
	case "tool", "command", "use_mcp_server", "use_mcp_tool", "access_mcp_resource", "browser_action_launch", "browser_action", "load_mcp_documentation", "use_subagents":
		return call
	case "command_output", "mcp_server_response", "browser_action_result":
		return result
	case "api_req_started", "api_req_finished", "api_req_retried", "api_req_retry_delayed", "api_req_deleted", "api_req_failed", "api_req_rate_limit_wait",
		"checkpoint_created", "checkpoint_saved", "mcp_server_request_started", "mcp_notification", "resume_task", "resume_completed_task",
		"error", "error_retry", "diff_error", "clineignore_error", "rooignore_error", "shell_integration_warning", "mistake_limit_reached",
		"deleted_api_reqs", "info", "task_progress", "condense_context", "condense_context_error", "condense_context_truncation",
		"sliding_window_truncation", "codebase_search_result", "subtask_result", "auto_approval_max_req_reached":
		return program
	}
	return unknown
}

// entry makes a message of what the window showed.
func (t *talk) entry(v jsontext.Value) error {
	kind := importer.FirstText(v, "say", "ask")
	text := importer.TextIn(v, "text")
	is := speakers(kind)
	images := jsonstream.Member(v, "images")
	switch {
	case kind == "text" && t.asked == "" && len(t.d.Messages) == 0: // Roo Code has no kind for the task
		is = person
	case jsonstream.True(jsonstream.Member(v, "partial")):
		t.Sink.Skipped("interrupted") // it stands once more where it was finished
		return nil
	}
	switch is {
	case program:
		t.Sink.Skipped("notice")
		return nil
	case unknown:
		t.Sink.Unknown("record:" + kind)
		t.unknown = append(t.unknown, v)
		return nil
	}
	if text == "" && importer.IsNothing(images) {
		t.Sink.Skipped(importer.EmptyConversation)
		return nil
	}
	ts := string(jsonstream.Member(v, "ts"))
	m := memory.Message{ID: ts, ProviderMessageID: ts, Role: memory.Assistant, IsThought: is == thought, CreatedAt: importer.TimeIn(v, "ts"),
		RawMetadata: importer.Rest(v, "ts", "type", "say", "ask", "text", "images", "partial")}
	importer.KeepText(&m.RawMetadata, "kind", kind)
	switch is {
	case person:
		m.Role = memory.User
		t.asked = importer.FirstOf(t.asked, text)
	case call:
		m.ToolCalls, text = []memory.ToolCall{{Name: toolName(kind, text), Input: importer.CallInput(jsonstream.Member(v, "text"))}}, ""
	case result:
		m.Role = memory.Tool
	case assistant:
		text = t.spoken(&m, text)
	}
	m.Content = importer.PlainContent(text)
	for _, image := range jsonstream.Items(images) {
		address, _ := jsonstream.Text(image)
		a, err := t.StoreURL("", address)
		if err != nil {
			return err
		}
		m.Attachments = append(m.Attachments, a)
	}
	t.d.Messages = append(t.d.Messages, m)
	return nil
}

// inner is the object that a text holds, nil where it holds none.
func inner(text string) jsontext.Value {
	if v := jsontext.Value(strings.TrimSpace(text)); v.IsValid() && v.Kind() == '{' {
		return v
	}
	return nil
}

// toolName is what a call calls its tool.
func toolName(kind, text string) string {
	return importer.FirstOf(importer.FirstText(inner(text), "tool", "toolName", "action"), kind)
}

// spoken is what the assistant says: questions and plans stand in an object with the
// choices, which stays with the message.
func (t *talk) spoken(m *memory.Message, text string) string {
	v := inner(text)
	if said := importer.FirstText(v, "question", "response"); said != "" {
		importer.KeepOthers(&m.RawMetadata, v, "question", "response")
		return said
	}
	return strings.TrimSuffix(text, "HAS_CHANGES") // a mark of the program
}

// turn makes a message of what the model was sent, or answered.
func (t *talk) turn(v jsontext.Value) error {
	m := memory.Message{Role: t.Role(v, map[string]memory.Role{"user": memory.User, "assistant": memory.Assistant}), CreatedAt: importer.TimeIn(v, "ts"),
		RawMetadata: importer.Rest(v, "role", "content", "ts")}
	content := jsonstream.Member(v, "content")
	var said []string
	whole := true // nothing of it is left out
	take := func(text string) {
		of := []string{text}
		if m.Role == memory.User {
			of = t.personIn(&m, text)
			whole = whole && len(of) == 1 && of[0] == text
		}
		said = append(said, of...)
	}
	if text, ok := jsonstream.Text(content); ok {
		take(text)
	}
	for _, block := range jsonstream.Items(content) {
		switch kind := importer.TextIn(block, "type"); kind {
		case "text":
			take(importer.TextIn(block, "text"))
		case "thinking", "reasoning":
			thinks := importer.Thought(m, importer.FirstText(block, "thinking", "text"))
			t.d.Messages = append(t.d.Messages, thinks)
		case "tool_use":
			m.ToolCalls = append(m.ToolCalls, memory.ToolCall{ID: importer.TextIn(block, "id"), Name: importer.FirstOf(importer.TextIn(block, "name"), "tool"), Input: importer.CallInput(jsonstream.Member(block, "input"))})
		case "tool_result", "image":
			whole = false
		default:
			t.Sink.Unknown("content:" + kind)
			whole = false
		}
	}
	if len(said) == 0 && len(m.ToolCalls) == 0 && m.Role == memory.User {
		t.Sink.Skipped("hidden-context") // results of tools, and what the program adds
		return nil
	}
	if !whole {
		importer.KeepRaw(&m.RawMetadata, "content", jsonstream.Keep(content))
	}
	m.Content = importer.PlainContent(strings.Join(said, "\n\n"))
	if m.Role == memory.User {
		t.asked = importer.FirstOf(t.asked, m.Content.Text)
	}
	t.d.Messages = append(t.d.Messages, m)
	return nil
}

// personIn are the words of the person in a text that the program sent: what stands
// between its marks for them, else all that is none of the program's.
func (t *talk) personIn(m *memory.Message, text string) []string {
	if found := marked().FindStringSubmatch(text); found != nil {
		return []string{strings.TrimSpace(found[1])}
	}
	if resultHead().MatchString(text) {
		return nil
	}
	return t.Words(m, text)
}

// marked is the place of the person's words in what the model is sent.
func marked() *regexp.Regexp {
	return regexp.MustCompile(`(?s)<(?:task|user_message|feedback)>(.*?)</(?:task|user_message|feedback)>`)
}

// resultHead begins what a tool gave: "[read_file for 'a.go'] Result:".
func resultHead() *regexp.Regexp {
	return regexp.MustCompile(`^\[[a-z_]+(?: for '[^\n]*')?\] Result:`)
}
