package bridge_test

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	"keepsake/app/bridge"
	"keepsake/backend/core"
	"keepsake/backend/memory"
)

const megabyte = 1_000_000

func convert[V any](t *testing.T, name string, args ...any) V {
	t.Helper()
	values := make([]reflect.Value, len(args))
	for i, arg := range args {
		values[i] = reflect.ValueOf(arg)
	}
	return reflect.ValueOf(bridge.Conversions()[name]).Call(values)[0].Interface().(V)
}

func TestAPageOfLongMemoriesStaysBelowAMegabyte(t *testing.T) {
	page := core.MemoryPage{Total: 200}
	for range 200 {
		page.Items = append(page.Items, memory.Record{Content: strings.Repeat("wort ", 100_000)})
	}
	view := convert[bridge.MemoryPageView](t, "memories", page)
	text, err := json.Marshal(view)
	if err != nil || len(text) > megabyte {
		t.Fatalf("%d bytes, %v", len(text), err)
	}
	if !view.Items[0].Clipped || len(view.Items) != 200 {
		t.Errorf("%d rows, clipped %v", len(view.Items), view.Items[0].Clipped)
	}
}

// TestAPageOfThreeFilesStaysBelowAMegabyte: also with what the file that both come from
// has of each member, and it says whose change each is.
func TestAPageOfThreeFilesStaysBelowAMegabyte(t *testing.T) {
	long := strings.Repeat("wort ", 100_000)
	said, was := []byte(`"`+long+`"`), []byte(`"before"`)
	fields := []core.FieldDiff{{Path: "/content", A: said, B: was, Base: was}, {Path: "/summary", A: said, B: said, Base: said, Conflict: true}, {Path: "/tags", A: was, B: said, Base: was}}
	for range 30 {
		fields = append(fields, core.FieldDiff{Path: "/metadata/" + strings.Repeat("n", 500), A: said, B: said, Base: said, Conflict: true})
	}
	c := core.Comparison{}
	for range 60 {
		c.Memories = append(c.Memories, core.ComparedMemory{ID: "m", Standing: core.InConflict, Ours: &memory.Record{Content: long}, Theirs: &memory.Record{Content: long}, Fields: fields, Suggested: &core.MergeChoice{Of: core.OfBoth}})
	}
	view := convert[bridge.CompareView](t, "compared", c, []string{"a", "b"}, "c", 0)
	text, err := json.Marshal(view)
	if err != nil || len(text) > megabyte || len(view.Items) != 50 {
		t.Fatalf("%d bytes of %d items, %v", len(text), len(view.Items), err)
	}
	first := view.Items[0]
	if first.Suggested != "fields" || first.Fields[0].By != "ours" || first.Fields[0].Base != `"before"` || first.Fields[1].By != "conflict" || first.Fields[2].By != "theirs" || view.Common != "c" {
		t.Errorf("%.2000s", text)
	}
}

func TestAThreadIsCutBetweenMessages(t *testing.T) {
	thread := core.Thread{Total: 200}
	for range 200 {
		thread.Messages = append(thread.Messages, core.ThreadMessage{Message: memory.Message{
			Content: &memory.Content{Type: "text", Text: strings.Repeat("x", 50_000)},
		}})
	}
	view := convert[bridge.ThreadView](t, "thread", thread, 40)
	text, err := json.Marshal(view)
	if err != nil || len(text) > megabyte {
		t.Fatalf("%d bytes, %v", len(text), err)
	}
	if len(view.Messages) == 0 || len(view.Messages) >= 200 || view.Offset != 40 || view.Total != 200 {
		t.Errorf("%d messages from %d of %d", len(view.Messages), view.Offset, view.Total)
	}
}

func TestOneHugeMessageIsShownInPart(t *testing.T) {
	message := memory.Message{Content: &memory.Content{Type: "multipart"}}
	for range 40 {
		message.Content.Parts = append(message.Content.Parts, memory.Part{Type: "text", Text: strings.Repeat("y", 400_000)})
		message.ToolCalls = append(message.ToolCalls, memory.ToolCall{Output: strings.Repeat("z", 400_000)})
	}
	thread := core.Thread{Total: 1, Messages: []core.ThreadMessage{{Message: message}}}
	view := convert[bridge.ThreadView](t, "thread", thread, 0)
	text, err := json.Marshal(view)
	if err != nil || len(text) > megabyte {
		t.Fatalf("%d bytes, %v", len(text), err)
	}
	if parts := view.Messages[0].Parts; len(parts) != 40 || !parts[39].Clipped || parts[0].Text == "" {
		t.Errorf("%d parts", len(parts))
	}
	if calls := view.Messages[0].ToolCalls; len(calls) != 40 || !calls[0].Output.Clipped || calls[0].Input.Clipped {
		t.Errorf("%d calls", len(calls))
	}
}

// TestAHugeMessageIsReadToItsEnd: what was clipped comes piece by piece, whole
// characters each, and together they are the text.
func TestAHugeMessageIsReadToItsEnd(t *testing.T) {
	text := strings.Repeat("a€😀 ", 60_000)
	message := memory.Message{Content: &memory.Content{Type: "text", Text: text}}
	thread := core.Thread{Total: 1, Messages: []core.ThreadMessage{{Message: message}}}
	part := convert[bridge.ThreadView](t, "thread", thread, 0).Messages[0].Parts[0]
	read, next, more := part.Text, part.Next, part.Clipped
	for more {
		piece := convert[bridge.TextView](t, "further", text, next)
		answer, err := json.Marshal(piece)
		if err != nil || len(answer) > megabyte/2 || piece.Text == "" || !utf8.ValidString(piece.Text) {
			t.Fatalf("%d bytes from %d, %v", len(answer), next, err)
		}
		read, next, more = read+piece.Text, piece.Next, piece.Clipped
	}
	if read != text || next != len(text) {
		t.Errorf("read %d of %d bytes", len(read), len(text))
	}
	for _, from := range []int{-5, 2, len(text), len(text) + 9} {
		if piece := convert[bridge.TextView](t, "further", text, from); !utf8.ValidString(piece.Text) || piece.Next > len(text) {
			t.Errorf("from %d: %d bytes to %d", from, len(piece.Text), piece.Next)
		}
	}
}

func TestAMessageSaysWhyItsProviderDoesNotShowIt(t *testing.T) {
	shown := memory.Message{ID: "a"}
	context := memory.Message{ID: "b", RawMetadata: memory.RawMetadata{"keepsake_hidden": json.RawMessage(`"context"`)}}
	odd := memory.Message{ID: "c", RawMetadata: memory.RawMetadata{"keepsake_hidden": json.RawMessage(`{}`)}}
	thread := core.Thread{Messages: []core.ThreadMessage{{Message: shown}, {Message: context}, {Message: odd}}}
	view := convert[bridge.ThreadView](t, "thread", thread, 0)
	for i, want := range []string{"", "context", ""} {
		if got := view.Messages[i].Hidden; got != want {
			t.Errorf("message %d is hidden %q, want %q", i, got, want)
		}
	}
}

func TestTextIsCutAtWholeCharacters(t *testing.T) {
	for limit := range 12 {
		text, clipped := bridge.Clip("aé€😀b", limit)
		if !utf8.ValidString(text) || len(text) > limit || clipped != (limit < 11) {
			t.Errorf("at %d: %q %v", limit, text, clipped)
		}
	}
}

func TestOnlyWebAndMailAddressesAreOpened(t *testing.T) {
	for address, host := range map[string]string{
		"https://example.com/a?b=c#d": "example.com",
		"http://example.com:8080/":    "example.com:8080",
		"https://bücher.example/":     "xn--bcher-kva.example",
		"https://аpple.com/":          "xn--pple-43d.com", // Cyrillic а
		"mailto:somebody@example.com": "somebody@example.com",
	} {
		link, err := bridge.CheckLink(address)
		if err != nil || link.Host != host {
			t.Errorf("%s: host %q, %v", address, link.Host, err)
		}
	}
	for _, address := range []string{
		"", "javascript:alert(1)", "data:text/html,x", "file:///etc/passwd", "smb://host/share", "ms-msdt:/id",
		"wails://x", "blob:https://example.com/x", "vbscript:x", "//example.com", "/vault/x", "https://", "http:example.com",
		"https://user:word@example.com/", "https://exa mple.com/", "https://example.com/\n", " https://example.com",
		"java\tscript:alert(1)", "https://" + strings.Repeat("a", 9000),
	} {
		if link, err := bridge.CheckLink(address); err == nil {
			t.Errorf("%q was allowed as %+v", address, link)
		}
	}
}

func TestWhatAFileIsIsReadFromItsBytes(t *testing.T) {
	for name, want := range map[string]struct{ bytes, kind string }{
		"png":     {"\x89PNG\r\n\x1a\n....", "image/png"},
		"jpeg":    {"\xff\xd8\xff\xe0....", "image/jpeg"},
		"webp":    {"RIFF....WEBPVP8 ", "image/webp"},
		"wave":    {"RIFF....WAVEfmt ", "audio/wave"},
		"html":    {"<html><script>alert(1)</script>", "application/octet-stream"},
		"svg":     {`<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>`, "application/octet-stream"},
		"xml":     {`<?xml version="1.0"?><x/>`, "application/octet-stream"},
		"pdf":     {"%PDF-1.7", "application/octet-stream"},
		"nothing": {"", "application/octet-stream"},
	} {
		kind, err := bridge.Sniff(bytes.NewReader([]byte(want.bytes)))
		if err != nil || kind != want.kind {
			t.Errorf("%s is %s, %v", name, kind, err)
		}
	}
}
