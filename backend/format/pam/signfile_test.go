package pam_test

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"

	"keepsake/backend/fault"
	"keepsake/backend/format/pam"
	"keepsake/backend/intake"
	"keepsake/backend/memory"
)

func signed(t *testing.T, tr *intake.Tree, k *pam.Key) ([]byte, error) {
	t.Helper()
	var out bytes.Buffer
	to := pam.ToFile(&out)
	if pam.IsBundle(tr) {
		to = pam.ToZip(&out, day)
	}
	err := pam.SignDocument(t.Context(), tr, compiled(t), k, day, to)
	return out.Bytes(), err
}

func reason(err error) string {
	var f *fault.Error
	if !errors.As(err, &f) {
		return ""
	}
	return f.Reason
}

func TestSignDocument(t *testing.T) {
	k := key(t)
	out, err := signed(t, tree(t, "x.json", store(t, 2, nil)), k)
	if err != nil {
		t.Fatal(err)
	}
	if r := verify(t, out, pam.Trust{Own: []pam.Public{k.Public()}}); r.Verdict != pam.Own {
		t.Errorf("%+v", r)
	}
	var block struct{ Signature pam.Signature }
	if err := json.Unmarshal(out, &block); err != nil {
		t.Fatal(err)
	}
	if s := block.Signature; len(s.Value) != 86 || strings.ContainsAny(s.Value, "+/=") || s.Algorithm != "Ed25519" || s.PublicKey != k.Public().Multibase() || s.KeyID != k.Public().KeyID() {
		t.Errorf("the block is %+v", s)
	}
	again, err := signed(t, tree(t, "x.json", out), k)
	if err != nil || !bytes.Equal(again, out) {
		t.Errorf("signing twice changed the file: %v", err)
	}
}

// TestSigningChangesNothingElse compares every member but the signature.
func TestSigningChangesNothingElse(t *testing.T) {
	before := edited(t, func(d map[string]any) {
		d["type_registry"], inner(d, "owner")["id"] = "https://example.com/?types&all", "<o>"
	})
	out, err := signed(t, tree(t, "x.json", before), key(t))
	if err != nil {
		t.Fatal(err)
	}
	var was, is map[string]json.RawMessage
	if err := errors.Join(json.Unmarshal(before, &was), json.Unmarshal(out, &is)); err != nil {
		t.Fatal(err)
	}
	for name, value := range was {
		var a, b any
		_, _ = json.Unmarshal(value, &a), json.Unmarshal(is[name], &b)
		if !equalJSON(a, b) {
			t.Errorf("%s changed", name)
		}
	}
	if is["integrity"] == nil || is["signature"] == nil {
		t.Error("the missing integrity block was not added")
	}
	if v := validate(t, "x.json", out); !v.Valid {
		t.Errorf("%+v", v)
	}
}

func equalJSON(a, b any) bool {
	x, _ := json.Marshal(a)
	y, _ := json.Marshal(b)
	return bytes.Equal(x, y)
}

func TestWhatIsNotSigned(t *testing.T) {
	mine := pam.Owner{ID: "owner-1", DID: key(t).DID()}
	stranger, err := pam.Generate()
	if err != nil {
		t.Fatal(err)
	}
	of := func(change func(map[string]any)) []byte { return edited(t, change) }
	for want, c := range map[string]struct {
		text []byte
		key  *pam.Key
	}{
		"sign-broken":     {bytes.Replace(store(t, 2, nil), []byte(`"s"`), []byte(`"t"`), 1), key(t)},
		"sign-incomplete": {of(func(d map[string]any) { d["export_id"] = nil }), key(t)},
		"sign-owner":      {of(func(d map[string]any) { d["owner"] = mine }), stranger},
	} {
		if out, err := signed(t, tree(t, "x.json", c.text), c.key); reason(err) != want || len(out) > 0 {
			t.Errorf("%s: %v, %d bytes", want, err, len(out))
		}
	}
	for said, text := range map[string]string{
		"(json at /memories/1/id: ":                      strings.Replace(string(store(t, 2, nil)), `"id":"mem-00001"`, `"id":"x","id":"mem-00001"`, 1),
		"(number at /memories/0: ":                       strings.Replace(string(store(t, 2, nil)), `"n":1.5`, `"n":9007199254740993`, 1),
		"(integrity-checksum at /integrity/checksum: ":   strings.Replace(string(store(t, 2, nil)), `"summary":"s"`, `"summary":"t"`, 1),
		"is not a document of Portable AI Memory, so it": `[1]`,
	} {
		if out, err := signed(t, tree(t, "x.json", []byte(text)), key(t)); err == nil || !strings.Contains(err.Error(), said) || len(out) > 0 {
			t.Errorf("%s: %v, %d bytes", said, err, len(out))
		}
	}
}

// TestOnlyWhatVerifiesIsSigned: what a signature could not be over is refused, and a sum
// of the memories as another program writes them becomes one as they stand.
func TestOnlyWhatVerifiesIsSigned(t *testing.T) {
	for _, date := range []string{"yesterday", "9999-12-31T23:59:59.9999999Z", "9999-12-31T23:59:59.5-01:00"} {
		text := edited(t, func(d map[string]any) { d["export_date"] = date })
		if _, err := signed(t, tree(t, "x.json", text), key(t)); reason(err) != "sign-date" {
			t.Errorf("%s: %v", date, err)
		}
	}
	p256 := pam.Owner{ID: "owner-1", DID: "did:key:zDnaerDaTF5BXEavCrfRZEk316dpbLsfPDZ3WJ5hRTPFU2169"}
	text := edited(t, func(d map[string]any) { d["owner"] = p256 })
	if _, err := signed(t, tree(t, "x.json", text), key(t)); reason(err) != "sign-owner" {
		t.Errorf("signed for the owner of another kind of key: %v", err)
	}
	var doc map[string]any
	if err := json.Unmarshal(store(t, 3, nil), &doc); err != nil {
		t.Fatal(err)
	}
	mem(doc, 1)["custom_type"] = nil
	text, err := json.Marshal(doc)
	if err != nil {
		t.Fatal(err)
	}
	out, err := signed(t, tree(t, "x.json", text), key(t))
	if err != nil {
		t.Fatal(err)
	}
	if r := verify(t, out, pam.Trust{}); !r.Valid || r.SumRule != pam.SumAsItStands || len(r.Problems) > 0 {
		t.Errorf("%+v", r)
	}
}

func TestSignedNeverBeforeExportDate(t *testing.T) {
	text := edited(t, func(d map[string]any) { d["export_date"] = "2999-01-01T00:00:00.0000001+01:00" })
	out, err := signed(t, tree(t, "x.json", text), key(t))
	if err != nil {
		t.Fatal(err)
	}
	if r := verify(t, out, pam.Trust{}); r.Verdict != pam.Unknown {
		t.Errorf("%+v", r)
	}
	if r := verify(t, out, pam.Trust{Now: day.Time}); !has(r.Warnings, "signature-time") {
		t.Errorf("a signature from the future is not noticed: %+v", r)
	}
	early := bytes.Replace(store(t, 2, key(t)), []byte(`"signed_at":"`+day.String()), []byte(`"signed_at":"2020-01-01T00:00:00Z`), 1)
	if r := verify(t, early, pam.Trust{Own: []pam.Public{key(t).Public()}}); r.Verdict != pam.Broken || !has(r.Problems, "signature-time") {
		t.Errorf("signed before it was exported: %+v", r)
	}
}

// TestZipStaysZip signs a bundle: its other files come through unchanged.
func TestZipStaysZip(t *testing.T) {
	var zipped bytes.Buffer
	c := &memory.Conversation{ID: "conv-1", Provider: memory.Provider{Name: "chatgpt"}, Temporal: memory.ConversationTemporal{CreatedAt: day},
		Messages: []memory.Message{{ID: "m1", Role: memory.User, CreatedAt: day, ChildrenIDs: []string{"m2"}, Content: &memory.Content{Type: "text", Text: "?"}}, {ID: "m2", Role: memory.Assistant, CreatedAt: day, ParentID: "m1", Content: &memory.Content{Type: "text", Text: "!"}}}}
	if _, err := pam.WriteZip(&zipped, source(t, 2), pam.Bundle{Conversations: each([]pam.Talk{{Conversation: c}})}, options(nil)); err != nil {
		t.Fatal(err)
	}
	out, err := signed(t, tree(t, "x.zip", zipped.Bytes()), key(t))
	if err != nil {
		t.Fatal(err)
	}
	was, is := entries(t, zipped.Bytes()), entries(t, out)
	if len(is) != 3 || is["conversations/conv-1.json"] != was["conversations/conv-1.json"] || !strings.Contains(is[pam.StoreName], `"signature"`) {
		t.Errorf("%d files", len(is))
	}
	if v := validate(t, "x.zip", out); !v.Valid || len(v.Warnings) > 0 {
		t.Errorf("%+v", v)
	}
}

func entries(t testing.TB, zipped []byte) map[string]string {
	t.Helper()
	z, err := zip.NewReader(bytes.NewReader(zipped), int64(len(zipped)))
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]string{}
	for _, f := range z.File {
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		all[f.Name] = string(text)
	}
	return all
}

func TestBundlesAreNotSignedIntoAFile(t *testing.T) {
	dir := t.TempDir()
	if _, err := pam.WriteFolder(dir, source(t, 2), pam.Bundle{}, options(nil)); err != nil {
		t.Fatal(err)
	}
	src, err := intake.FromPath(dir)
	if err != nil {
		t.Fatal(err)
	}
	folder, err := intake.Open(context.Background(), []intake.Source{src}, intake.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer folder.Close()
	if err := pam.SignDocument(t.Context(), folder, compiled(t), key(t), day, pam.ToFile(io.Discard)); reason(err) != "sign-bundle" {
		t.Error(err)
	}
}
