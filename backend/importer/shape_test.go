package importer_test

import (
	"keepsake/backend/importer"
	"strings"
	"testing"
)

func TestShapeTellsWhatAFileIs(t *testing.T) {
	chat := `[{"uuid":"u","name":"n","chat_messages":[{"uuid":"m","sender":"human","content":[{"type":"text"}]}]}]`
	shape := peek(t, chat)
	if shape.Kind != '[' || !shape.ItemHas("chat_messages.sender") || shape.ItemHas("mapping") || shape.Elements != 1 || !shape.Whole {
		t.Errorf("chat: %+v", shape)
	}
	if got := shape.ItemText("chat_messages.sender"); got != "human" {
		t.Errorf("sender %q", got)
	}
	if shape := peek(t, chat[:90]); !shape.ItemHas("chat_messages.sender") || shape.Whole || !shape.Cut {
		t.Errorf("the beginning is enough: %+v", shape)
	}
	wrapped := peek(t, `{"v":1,"conversations":[{"mapping":{}},{"mapping":{}}]}`)
	if !wrapped.ItemHas("mapping") || wrapped.Elements != 2 || !wrapped.Has("v") {
		t.Errorf("wrapped: %+v", wrapped)
	}
	if one := peek(t, `{"mapping":{"a":{"id":"a"}},"title":"t"}`); !one.ItemHas("mapping") || !one.Has("title") || one.Elements != 0 {
		t.Errorf("one: %+v", one)
	}
	for text, empty := range map[string]bool{"[]": true, "\xEF\xBB\xBF[ ]": true, "{}": true, `{"conversations":[]}`: true, "[1]": false, "[": false, "x": false, `{"a":1}`: false} {
		if got := peek(t, text).Empty(); got != empty {
			t.Errorf("%q empty: %v", text, got)
		}
	}
}

func peek(t *testing.T, text string) importer.Shape {
	t.Helper()
	shape, err := importer.Peek(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return shape
}
