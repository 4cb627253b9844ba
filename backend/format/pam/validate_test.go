package pam_test

import (
	"encoding/json"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"keepsake/backend/fault"
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

// TestArchivedAfterSuperseded: superseded → archived is a step of §7.1, and the name of
// what took the memory's place stays with it.
func TestArchivedAfterSuperseded(t *testing.T) {
	for _, status := range []string{"superseded", "archived"} {
		text := edited(t, func(d map[string]any) {
			mem(d, 0)["status"] = status
			inner(mem(d, 0), "temporal")["superseded_by"] = "mem-00001"
		})
		if v := validate(t, "x.json", text); len(v.Errors)+len(v.Warnings) > 0 {
			t.Errorf("%s: %+v, %+v", status, v.Errors, v.Warnings)
		}
	}
}

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
		{"date-time", false, func(d map[string]any) { inner(mem(d, 0), "temporal")["created_at"] = "" }},
		{"date-time", false, func(d map[string]any) { inner(mem(d, 0), "temporal")["valid_until"] = "" }},
		{"date-time", false, func(d map[string]any) { inner(mem(d, 0), "confidence")["last_reinforced"] = "" }},
		{"date-time", false, func(d map[string]any) { inner(d, "owner")["created_at"] = "" }},
		{"date-time", false, func(d map[string]any) { d["since"] = "" }},
		{"date-time", false, func(d map[string]any) { d["relations"].([]any)[0].(map[string]any)["created_at"] = "" }},
		{"uri", false, func(d map[string]any) { d["spec_uri"] = "" }},
		{"language", false, func(d map[string]any) { inner(mem(d, 0), "metadata")["language"] = "pt_BR" }},
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
		{"relation-target", false, func(d map[string]any) { d["relations"].([]any)[0].(map[string]any)["from"] = "nobody" }},
		{"relation-self", true, func(d map[string]any) { d["relations"].([]any)[0].(map[string]any)["to"] = "mem-00000" }},
		{"relation-id", false, func(d map[string]any) { d["relations"] = append(d["relations"].([]any), d["relations"].([]any)[0]) }},
		{"conversation-ref", false, func(d map[string]any) { inner(mem(d, 0), "provenance")["conversation_ref"] = "conv-9" }},
		{"derived-memories", false, func(d map[string]any) { inner(mem(d, 0), "provenance")["conversation_ref"] = nil }},
		{"superseded-by", true, func(d map[string]any) { inner(mem(d, 0), "temporal")["superseded_by"] = "mem-00001" }},
		{"superseded-by", true, func(d map[string]any) { mem(d, 0)["status"] = "superseded" }},
		{"superseded-by", true, func(d map[string]any) {
			mem(d, 0)["status"] = "retracted"
			inner(mem(d, 0), "temporal")["superseded_by"] = "mem-00001"
		}},
		{"embedding-ref", true, func(d map[string]any) { mem(d, 0)["embedding_ref"] = "emb" }},
		{"incremental", true, func(d map[string]any) { d["export_type"], d["since"] = "incremental", day.String() }},
		{"incremental", true, func(d map[string]any) { d["export_type"], d["base_export_id"] = "incremental", "base" }},
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
		i := slices.IndexFunc(found, func(f pam.Finding) bool { return f.Check == c.check })
		if i < 0 || c.warning != v.Valid {
			t.Errorf("%s: %+v", c.check, v)
			continue
		}
		if f := found[i]; f.Path == "" && f.Check != "schema" || !strings.HasPrefix(f.Check, "signature") && f.Check != "integrity" && (f.Expected == "" || f.Found == "") {
			t.Errorf("%s does not say where, what was expected and what was found: %+v", c.check, f)
		}
	}
}

// TestWholeNumbers: what JSON Schema counts as an integer is one to every check and
// to the import, however it is written.
func TestWholeNumbers(t *testing.T) {
	text := resummed(edited(t, func(d map[string]any) {
		d["conversations_index"].([]any)[0].(map[string]any)["message_count"] = 4
	}))
	written := strings.NewReplacer(`"message_count":4`, `"message_count":4.0`, `"total_memories":3`, `"total_memories":3e0`).Replace(string(text))
	if strings.Count(written, "4.0")+strings.Count(written, "3e0") != 2 {
		t.Fatalf("written as before: %s", written)
	}
	if v := validate(t, "x.json", []byte(written)); !v.Valid {
		t.Errorf("%+v", v.Errors)
	}
	var counts []int
	if _, _, err := pam.Take(t.Context(), tree(t, "x.json", []byte(written)), tree(t, "x.json", []byte(written)).Files()[0], pam.Taker{
		Entry: func(e pam.Taken[pam.IndexEntry]) error { counts = append(counts, *e.Value.MessageCount); return nil },
		Bad:   func(at string, why *fault.Error) error { return why },
	}); err != nil || len(counts) == 0 || counts[0] != 4 {
		t.Errorf("counts %v, %v", counts, err)
	}
	c, _, _, err := takenConversation(t, conversationHead+`"messages":[`+message("a", `,"token_count":7.0,"attachments":[{"type":"file","size_bytes":1e3}]`)+`]}`)
	if err != nil || *c.Messages[0].TokenCount != 7 || *c.Messages[0].Attachments[0].SizeBytes != 1000 {
		t.Errorf("%+v, %v", c, err)
	}
	for _, number := range []string{"1.5", "1e400", "9007199254740993e0", `"7"`} {
		if _, _, _, err := takenConversation(t, conversationHead+`"messages":[`+message("a", `,"token_count":`+number)+`]}`); err == nil {
			t.Errorf("%s passed as a whole number", number)
		}
	}
}

// TestOnlyTheFirstErrorsAreTold: a file that is wrong throughout does not fill
// the memory with findings.
func TestOnlyTheFirstErrorsAreTold(t *testing.T) {
	text := strings.ReplaceAll(string(store(t, 130, nil)), `"content_hash":"sha256:`, `"content_hash":"sha256:0`)
	v := validate(t, "x.json", []byte(text))
	if last := v.Errors[len(v.Errors)-1]; v.Valid || len(v.Errors) != 101 || last.Check != "more" || last.Found == "nothing" {
		t.Errorf("%d errors, the last is %+v", len(v.Errors), last)
	}
}

// TestEveryCheckIsListedAndBroken: a check that this room can make is in the
// page that lists them, and a test here breaks its rule.
func TestEveryCheckIsListedAndBroken(t *testing.T) {
	page := string(file(t, "../../../docs/pam.md"))
	made := regexp.MustCompile(`(?:rule\{|check := )"([a-z-]+)"`)
	names, tests := map[string]bool{}, ""
	sources, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range sources {
		text := string(file(t, name))
		if strings.HasSuffix(name, "_test.go") {
			tests += text
			continue
		}
		for _, m := range made.FindAllStringSubmatch(text, -1) {
			names[m[1]] = true
		}
	}
	for name := range names {
		if !strings.Contains(page, "`"+name+"`") {
			t.Errorf("docs/pam.md does not list %s", name)
		}
		if !strings.Contains(tests, `"`+name+`"`) {
			t.Errorf("no test breaks the rule of %s", name)
		}
	}
	if len(names) < 40 {
		t.Errorf("only %d checks found", len(names))
	}
}

// TestChecksumOfEitherReference: a sum over the memories as they stand, and one
// over them as the official library writes them, are both taken and told apart.
func TestChecksumOfEitherReference(t *testing.T) {
	v := validate(t, "x.json", store(t, 3, nil))
	if !v.Valid || v.SumRule != pam.SumAsItStands {
		t.Errorf("%+v", v)
	}
	for name, change := range map[string]func(m map[string]any){
		"a null more":       func(m map[string]any) { m["custom_type"] = nil },
		"a null inside":     func(m map[string]any) { inner(m, "temporal")["superseded_by"] = nil },
		"a null about it":   func(m map[string]any) { inner(m, "metadata")["domain"] = nil },
		"no default status": func(m map[string]any) { delete(m, "status") },
		"another zero":      func(m map[string]any) { inner(m, "temporal")["created_at"] = "2026-11-21T09:00:00.000Z" },
		"another offset":    func(m map[string]any) { inner(m, "provenance")["extracted_at"] = "2026-11-21T09:00:00+00:00" },
	} {
		for _, turned := range []bool{false, true} {
			var doc map[string]any
			if err := json.Unmarshal(store(t, 3, nil), &doc); err != nil {
				t.Fatal(err)
			}
			change(mem(doc, 1))
			if all := doc["memories"].([]any); turned {
				all[0], all[2] = all[2], all[0]
			}
			text, err := json.Marshal(doc)
			if err != nil {
				t.Fatal(err)
			}
			v := validate(t, "x.json", text)
			if !v.Valid || v.SumRule != pam.SumRewritten || !has(v.Warnings, "integrity-checksum") {
				t.Errorf("%s: %+v", name, v)
			}
			if r := verify(t, text, pam.Trust{}); r.Verdict != pam.Unsigned || r.SumRule != pam.SumRewritten {
				t.Errorf("%s: %+v", name, r)
			}
		}
	}
	signed := strings.Replace(string(store(t, 3, key(t))), `"status":"active",`, ``, 1)
	if r := verify(t, []byte(signed), pam.Trust{}); r.Verdict != pam.Broken || r.SumRule != pam.SumRewritten {
		t.Errorf("what is signed is signed as it stands: %+v", r)
	}
	other := strings.Replace(string(store(t, 3, nil)), `"summary":"s"`, `"summary":"t"`, 1)
	if v := validate(t, "x.json", []byte(other)); v.Valid || v.SumRule != "" {
		t.Errorf("%+v", v)
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
