package pam_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"keepsake/backend/format/pam"
)

// edited is the unsigned export with one change, its sums made right again
// where resum is set.
func edited(t *testing.T, change func(doc map[string]any)) []byte {
	t.Helper()
	var doc map[string]any
	if err := json.Unmarshal(store(t, 3, nil), &doc); err != nil {
		t.Fatal(err)
	}
	delete(doc, "integrity")
	change(doc)
	out, err := json.Marshal(doc)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func mem(doc map[string]any, i int) map[string]any {
	return doc["memories"].([]any)[i].(map[string]any)
}

func inner(m map[string]any, name string) map[string]any { return m[name].(map[string]any) }

// TestDeepChecks breaks one rule at a time and demands the check's own name.
func TestDeepChecks(t *testing.T) {
	for _, c := range []struct {
		check   string
		warning bool
		change  func(map[string]any)
	}{
		{"content-hash", false, func(d map[string]any) { mem(d, 0)["content"] = "other" }},
		{"memory-id", false, func(d map[string]any) { mem(d, 1)["id"] = "mem-00000" }},
		{"schema", false, func(d map[string]any) { mem(d, 1)["extra"] = 1 }},
		{"schema", false, func(d map[string]any) { d["extra"] = 1 }},
		{"date-time", false, func(d map[string]any) { inner(mem(d, 0), "temporal")["created_at"] = "yesterday" }},
		{"date-time", false, func(d map[string]any) { inner(mem(d, 0), "temporal")["created_at"] = "2026-11-21T9:00:00Z" }},
		{"time-order", false, func(d map[string]any) { inner(mem(d, 0), "temporal")["updated_at"] = "2020-01-01T00:00:00Z" }},
		{"time-order", false, func(d map[string]any) { inner(mem(d, 0), "temporal")["valid_until"] = "2020-01-01T00:00:00Z" }},
		{"time-order", true, func(d map[string]any) { inner(mem(d, 0), "confidence")["last_reinforced"] = "2020-01-01T00:00:00Z" }},
		{"time-order", false, func(d map[string]any) {
			inner(d["conversations_index"].([]any)[0].(map[string]any), "temporal")["updated_at"] = "2020-01-01T00:00:00Z"
		}},
		{"date-time", false, func(d map[string]any) { inner(d, "owner")["created_at"] = "2026-11-21 09:00:00Z" }},
		{"date-time", false, func(d map[string]any) { d["export_date"] = "2026-02-30T09:00:00Z" }},
		{"date-time", false, func(d map[string]any) { d["since"] = "2026-11-21T09:00:00+24:00" }},
		{"date-time", false, func(d map[string]any) { inner(mem(d, 0), "provenance")["extracted_at"] = "2026-11-21T09:00:00,5Z" }},
		{"custom-type", false, func(d map[string]any) { mem(d, 0)["type"] = "custom" }},
		{"conversation-id", false, func(d map[string]any) {
			d["conversations_index"] = append(d["conversations_index"].([]any), d["conversations_index"].([]any)[0])
		}},
		{"derived-memories", false, func(d map[string]any) {
			d["conversations_index"].([]any)[0].(map[string]any)["derived_memories"] = []any{"mem-00000"}
		}},
		{"signature-form", false, func(d map[string]any) {
			d["integrity"] = map[string]any{"checksum": "sha256:" + strings.Repeat("0", 64), "total_memories": 3}
			d["signature"] = map[string]any{"algorithm": "Ed25519", "public_key": "k", "value": "a+b/", "signed_at": day.String()}
		}},
		{"number", true, func(d map[string]any) { inner(mem(d, 0), "metadata")["n"] = json.Number("9007199254740993") }},
		{"relation-target", false, func(d map[string]any) { d["relations"].([]any)[0].(map[string]any)["to"] = "nobody" }},
		{"relation-self", true, func(d map[string]any) { d["relations"].([]any)[0].(map[string]any)["to"] = "mem-00000" }},
		{"relation-id", false, func(d map[string]any) { d["relations"] = append(d["relations"].([]any), d["relations"].([]any)[0]) }},
		{"conversation-ref", false, func(d map[string]any) { inner(mem(d, 0), "provenance")["conversation_ref"] = "conv-9" }},
		{"derived-memories", false, func(d map[string]any) { inner(mem(d, 0), "provenance")["conversation_ref"] = nil }},
		{"superseded-by", true, func(d map[string]any) { inner(mem(d, 0), "temporal")["superseded_by"] = "mem-00001" }},
		{"superseded-by", true, func(d map[string]any) { mem(d, 0)["status"] = "superseded" }},
		{"embedding-ref", true, func(d map[string]any) { mem(d, 0)["embedding_ref"] = "emb" }},
		{"incremental", true, func(d map[string]any) { d["export_type"] = "incremental" }},
		{"schema-version", false, func(d map[string]any) { d["schema_version"] = "2.0" }},
		{"schema-version", true, func(d map[string]any) { d["schema_version"] = "1.7" }},
		{"uri", false, func(d map[string]any) { d["spec_uri"] = "not a uri" }},
		{"storage-ref", false, func(d map[string]any) {
			d["conversations_index"].([]any)[0].(map[string]any)["storage"] = map[string]any{"type": "file", "ref": "../../etc/passwd"}
		}},
		{"storage-ref", true, func(d map[string]any) {
			d["conversations_index"].([]any)[0].(map[string]any)["storage"] = map[string]any{"type": "file", "ref": "conversations/conv-1.json"}
		}},
		{"integrity-total", false, func(d map[string]any) {
			d["integrity"] = map[string]any{"checksum": "sha256:" + strings.Repeat("0", 64), "total_memories": 9}
		}},
		{"integrity-checksum", false, func(d map[string]any) {
			d["integrity"] = map[string]any{"checksum": "sha256:" + strings.Repeat("0", 64), "total_memories": 3}
		}},
		{"integrity", false, func(d map[string]any) {
			d["signature"] = map[string]any{"algorithm": "Ed25519", "public_key": "k", "value": "v", "signed_at": day.String()}
		}},
	} {
		v := validate(t, "x.json", edited(t, c.change))
		found := v.Errors
		if c.warning {
			found = v.Warnings
		}
		if !slices.ContainsFunc(found, func(f pam.Finding) bool { return f.Check == c.check }) || c.warning != v.Valid {
			t.Errorf("%s: %+v", c.check, v)
		}
	}
}

func TestFindingsNeverQuoteContent(t *testing.T) {
	text := edited(t, func(d map[string]any) { mem(d, 0)["type"] = "SECRET-WORD"; mem(d, 1)["SECRET-WORD"] = "SECRET-WORD" })
	v := validate(t, "x.json", text)
	for _, f := range v.Errors {
		if strings.Contains(strings.ReplaceAll(f.Message, "'SECRET-WORD' not allowed", ""), "SECRET-WORD") {
			t.Errorf("%+v", f)
		}
	}
}

// FuzzDocument: whatever the bytes, the answer is a verdict and never a panic.
func FuzzDocument(f *testing.F) {
	f.Add(store(f, 2, key(f)))
	f.Add([]byte(`{"memories":[{}],"signature":{}}`))
	f.Add([]byte(`[1,2`))
	f.Fuzz(func(t *testing.T, text []byte) {
		if len(text) == 0 {
			return
		}
		tr := tree(t, "x.json", text)
		if r, err := pam.Verify(t.Context(), tr, compiled(t), pam.Trust{}); err == nil && r.Verdict == "" {
			t.Fatal("no verdict")
		}
		if v, err := pam.Validate(t.Context(), tr, compiled(t)); err == nil && v.Valid && v.ChecksRun == 0 {
			t.Fatal("valid without a check")
		}
	})
}
