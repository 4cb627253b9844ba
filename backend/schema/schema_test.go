package schema_test

import (
	"strings"
	"testing"

	"keepsake/backend/schema"
)

const memoryOK = `{"id":"m","type":"fact","content":"c","content_hash":"sha256:` +
	`aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa","temporal":{"created_at":"2026-01-01T00:00:00Z"},"provenance":{"platform":"chatgpt"}}`

func compile(t *testing.T) *schema.Set {
	t.Helper()
	set, err := schema.Compile()
	if err != nil {
		t.Fatal(err)
	}
	return set
}

// TestMemoryRules pins one verdict for each rule of the field tables.
func TestMemoryRules(t *testing.T) {
	set := compile(t)
	for _, c := range []struct {
		name, from, to string
		ok             bool
	}{
		{"as it is", "", "", true},
		{"id empty", `"id":"m"`, `"id":""`, false},
		{"no id", `"id":"m",`, ``, false},
		{"content empty", `"content":"c"`, `"content":""`, false},
		{"type unknown", `"fact"`, `"facts"`, false},
		{"type null", `"fact"`, `null`, false},
		{"custom without custom_type", `"fact"`, `"custom"`, false},
		{"custom with", `"type":"fact"`, `"type":"custom","custom_type":"x"`, true},
		{"custom with empty", `"type":"fact"`, `"type":"custom","custom_type":""`, false},
		{"custom with null", `"type":"fact"`, `"type":"custom","custom_type":null`, false},
		{"fact with custom_type", `"type":"fact"`, `"type":"fact","custom_type":"x"`, false},
		{"fact with null custom_type", `"type":"fact"`, `"type":"fact","custom_type":null`, true},
		{"hash upper case", `sha256:aaaa`, `sha256:AAAA`, false},
		{"unknown member", `"id":"m"`, `"id":"m","x":1`, false},
		{"null status", `"id":"m"`, `"id":"m","status":null`, false},
		{"null summary", `"id":"m"`, `"id":"m","summary":null`, true},
		{"tags twice", `"id":"m"`, `"id":"m","tags":["a","a"]`, false},
		{"tag upper case", `"id":"m"`, `"id":"m","tags":["A"]`, false},
		{"null updated_at", `"created_at":"2026-01-01T00:00:00Z"`, `"created_at":"2026-01-01T00:00:00Z","updated_at":null`, true},
		{"a time that is none", `2026-01-01T00:00:00Z`, `yesterday`, true}, // format is an annotation
		{"platform too short", `"chatgpt"`, `"c"`, false},
		{"method null", `"platform":"chatgpt"`, `"platform":"chatgpt","extraction_method":null`, true},
		{"method unknown", `"platform":"chatgpt"`, `"platform":"chatgpt","extraction_method":"guess"`, false},
		{"extractor form", `"platform":"chatgpt"`, `"platform":"chatgpt","extractor":"keepsake"`, false},
		{"confidence over 1", `"id":"m"`, `"id":"m","confidence":{"initial":1.01}`, false},
		{"confidence null", `"id":"m"`, `"id":"m","confidence":{"initial":null}`, false},
		{"grant without permissions", `"id":"m"`, `"id":"m","access":{"shared_with":[{"entity":"e","permissions":[]}]}`, false},
		{"open metadata", `"id":"m"`, `"id":"m","metadata":{"mine":{"deep":[1]}}`, true},
		{"language form", `"id":"m"`, `"id":"m","metadata":{"language":"pt_BR"}`, false},
	} {
		text := strings.Replace(memoryOK, c.from, c.to, 1)
		if got := set.CheckMemory([]byte(text)); (len(got) == 0) != c.ok {
			t.Errorf("%s: %v", c.name, got)
		}
	}
}

// TestAllowedWordsAreJSON: where null is allowed, too, it is called that.
func TestAllowedWordsAreJSON(t *testing.T) {
	got := compile(t).CheckMemory([]byte(strings.Replace(memoryOK, `"platform":"chatgpt"`, `"platform":"chatgpt","extraction_method":"guess"`, 1)))
	if len(got) != 1 || !strings.HasSuffix(got[0].Expected, `"manual", null`) {
		t.Errorf("%+v", got)
	}
}

func TestStoreNeedsIDsWhereItIsSigned(t *testing.T) {
	set := compile(t)
	const head = `{"schema":"portable-ai-memory","schema_version":"1.0","owner":{"id":"o"},"memories":[]`
	const signature = `"signature":{"algorithm":"Ed25519","public_key":"k","value":"v","signed_at":"2026-01-01T00:00:00Z"}`
	for text, ok := range map[string]bool{
		head + `}`:                   true,
		head + `,"signature":null}`:  true,
		head + `,` + signature + `}`: false,
		head + `,"export_id":null,"export_date":"2026-01-01T00:00:00Z",` + signature + `}`: false,
		head + `,"export_id":"e","export_date":"2026-01-01T00:00:00Z",` + signature + `}`:  true,
		head + `,"export_type":"partial"}`:                                                 false,
		head + `,"integrity":{"checksum":"sha256:00","total_memories":0}}`:                 false,
	} {
		if got := set.Check(schema.MemoryStore, []byte(text)); (len(got) == 0) != ok {
			t.Errorf("%s: %v", text, got)
		}
	}
}

func TestConversationAndEmbeddings(t *testing.T) {
	set := compile(t)
	conversation := `{"schema":"portable-ai-memory-conversation","schema_version":"1.0","id":"c","provider":{"name":"claude"},"temporal":{"created_at":"2026-01-01T00:00:00Z"},"messages":[{"id":"m","role":"user","created_at":"2026-01-01T00:00:00Z","tool_calls":[{"name":"x","input":{"a":1}}],"raw_metadata":{"any":[null]}}]}`
	if got := set.Check(schema.Conversation, []byte(conversation)); len(got) > 0 {
		t.Error(got)
	}
	if got := set.Check(schema.Conversation, []byte(strings.Replace(conversation, `"role":"user"`, `"role":"human"`, 1))); len(got) == 0 {
		t.Error("a role that is none was accepted")
	}
	embedding := `{"id":"e","memory_id":"m","model":"x","dimensions":2,"created_at":"2026-01-01T00:00:00Z","vector":[0.1,1],"storage":null}`
	if got := set.Check(schema.Embedding, []byte(embedding)); len(got) > 0 {
		t.Error(got)
	}
	for text, ok := range map[string]bool{"2.0": true, "2e0": true, "2.00000000000000000001": true, "1e-400": false, "1.5": false, "1e400": true} {
		if got := set.Check(schema.Embedding, []byte(strings.Replace(embedding, `"dimensions":2`, `"dimensions":`+text, 1))); (len(got) == 0) != ok {
			t.Errorf("%s: %v", text, got)
		}
	}
	if got := set.Check(schema.Embedding, []byte(strings.Replace(embedding, `"dimensions":2`, `"dimensions":0`, 1))); len(got) == 0 {
		t.Error("no dimensions were accepted")
	}
}

func TestMessagesNeverQuoteContent(t *testing.T) {
	set := compile(t)
	text := strings.Replace(memoryOK, `"fact"`, `"my secret diary"`, 1)
	for _, v := range set.CheckMemory([]byte(text)) {
		if strings.Contains(v.Message, "secret") {
			t.Errorf("quoted: %s", v.Message)
		}
	}
}

func BenchmarkCheckMemory(b *testing.B) {
	set, err := schema.Compile()
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		set.CheckMemory([]byte(memoryOK))
	}
}
