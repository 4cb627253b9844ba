package pam_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"keepsake/backend/fault"
	"keepsake/backend/format/pam"
	"keepsake/backend/intake"
	"keepsake/backend/memory"
)

// refused demands that a text is no good to any reader, with the reason named
// in one sentence, and the place.
func refused(t *testing.T, name, text, check, place, found string) {
	t.Helper()
	v := validate(t, "x.json", []byte(text))
	if v.Valid || !hasAt(v.Errors, check, place) {
		t.Errorf("%s: no %s at %q: %+v", name, check, place, v.Errors)
	}
	for _, f := range v.Errors {
		if f.Check == check && f.Path == place && (f.Found != found || strings.ContainsAny(f.Message, "\n\r")) {
			t.Errorf("%s: found %q, want %q: %+v", name, f.Found, found, f)
		}
	}
	r := verify(t, []byte(text), pam.Trust{})
	if isBad := r.Verdict == pam.Broken || r.Verdict == pam.Invalid && check == "schema"; r.Valid || !isBad || !hasAt(r.Problems, check, place) {
		t.Errorf("%s: %+v", name, r)
	}
	var f *fault.Error
	if _, err := pam.Inspect(context.Background(), tree(t, "x.json", []byte(text))); check == "json" && !errors.As(err, &f) {
		t.Errorf("%s: inspecting it: %v", name, err)
	}
}

// with puts a text in the place of another, which must be there.
func with(t *testing.T, text, from, to string) string {
	t.Helper()
	if !strings.Contains(text, from) {
		t.Fatalf("no %s in the export", from)
	}
	return strings.Replace(text, from, to, 1)
}

func TestBadInputDuplicateKeys(t *testing.T) {
	text := string(store(t, 2, key(t)))
	const twice = "a name that stands twice"
	refused(t, "root", with(t, text, `"relations": [`, `"owner": {"id":"other"}, "relations": [`), "json", "/owner", twice)
	refused(t, "memory", with(t, text, `"id":"mem-00001"`, `"id":"mem-00001","id":"x"`), "json", "/memories/1/id", twice)
	refused(t, "escaped", with(t, text, `"id":"mem-00001"`, `"id":"mem-00001","\u0069d":"x"`), "json", "/memories/1/id", twice)
	refused(t, "deep", with(t, text, `"deep":{"x":null}`, `"deep":{"x":null,"x":1}`), "json", "/memories/0/metadata/deep/x", twice)
	refused(t, "signature", with(t, text, `"algorithm":`, `"algorithm":"ES256","algorithm":`), "json", "/signature/algorithm", twice)
}

func TestBadInputLoneSurrogates(t *testing.T) {
	text := string(store(t, 2, nil))
	for name, half := range map[string]string{"high": `\ud800`, "low": `\udc00`, "swapped": `\udc00\ud800`, "high and a letter": `\ud83dx`} {
		refused(t, name, with(t, text, `"summary":"s"`, `"summary":"s`+half+`"`), "json", "/memories/0/summary", "half of a pair of surrogates")
	}
	refused(t, "in a name", with(t, text, `"deep":{"x"`, `"deep":{"\ud800"`), "json", "/memories/0/metadata/deep", "half of a pair of surrogates")
}

func TestBadInputInvalidUTF8(t *testing.T) {
	text := string(store(t, 2, nil))
	for name, broken := range map[string]string{"a stray byte": "\xff", "cut off": "\xc3", "overlong": "\xc0\xaf", "a surrogate": "\xed\xa0\x80", "beyond Unicode": "\xf4\x90\x80\x80"} {
		refused(t, name, with(t, text, `"summary":"s"`, `"summary":"s`+broken+`"`), "json", "/memories/0/summary", "text that is not UTF-8")
	}
	refused(t, "a byte order mark", "\ufeff"+text, "json", "", "what is not JSON")
	refused(t, "UTF-16", "{\x00\"\x00", "json", "", "what is not JSON")
}

// TestBadInputBigIntegers: programs round them differently, so that no checksum
// over them can be told.
func TestBadInputBigIntegers(t *testing.T) {
	text := string(store(t, 2, key(t)))
	for _, number := range []string{"9007199254740992", "-9007199254740992", "9007199254740993", "18446744073709551616", "1" + strings.Repeat("0", 400), "1e400", "-1e400"} {
		big := with(t, text, `"n":1.5`, `"n":`+number)
		if r := verify(t, []byte(big), pam.Trust{}); r.Verdict != pam.Uncheckable || !hasAt(r.Problems, "number", "/memories/0") {
			t.Errorf("%.30s: %+v", number, r)
		}
		if v := validate(t, "x.json", []byte(big)); !hasAt(v.Warnings, "number", "/memories/0") {
			t.Errorf("%.30s: %+v", number, v)
		}
	}
	for _, number := range []string{"9007199254740991", "-9007199254740991"} {
		if v := validate(t, "x.json", []byte(with(t, string(edited(t, func(map[string]any) {})), `"n":1.5`, `"n":`+number))); !v.Valid || len(v.Warnings) > 0 {
			t.Errorf("%s: %+v", number, v)
		}
	}
}

func TestBadInputDepthBombs(t *testing.T) {
	text := string(store(t, 2, nil))
	deep := func(n int) string { return strings.Repeat("[", n) + strings.Repeat("]", n) }
	const tooDeep = "arrays and objects nested too deep"
	refused(t, "one too many", with(t, text, `"n":1.5`, `"n":`+deep(127)), "json", "/memories/0", tooDeep)
	refused(t, "many", with(t, text, `"n":1.5`, `"n":`+deep(5000)), "json", "/memories/0", tooDeep)
	refused(t, "more than any parser takes", with(t, text, `"n":1.5`, `"n":`+deep(100_000)), "json", "/memories/0/metadata/n"+strings.Repeat("/0", 9998), tooDeep)
	refused(t, "in the root", with(t, text, `"relations": [`, `"x": `+deep(200)+`, "relations": [`), "json", "/x", tooDeep)
	refused(t, "never closed", `{"memories":[`+strings.Repeat("[", 5_000_000), "json", "/memories/0", "the end of the text, too early")
	refused(t, "objects, never closed", `{"owner":`+strings.Repeat(`{"a":`, 1_000_000), "json", "/owner", "the end of the text, too early")
}

// TestBadInputDepthBombsBeside: also of a conversation's file the place is told.
func TestBadInputDepthBombsBeside(t *testing.T) {
	deep := conversationHead + `"messages":[` + message("a", `,"raw_metadata":{"n":`+strings.Repeat("[", 127)+strings.Repeat("]", 127)+`}`) + `]}`
	if _, _, _, err := takenConversation(t, deep); pam.PlaceOf(err) != "/messages/0/raw_metadata/n" {
		t.Errorf("%q: %v", pam.PlaceOf(err), err)
	}
}

// takenConversation reads a companion document.
func takenConversation(t *testing.T, text string) (memory.Conversation, pam.Head, []string, error) {
	return pam.DecodeConversation(t.Context(), func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(text)), nil })
}

// TestBadInputBase64url: the value of a signature may be padded, as one of the
// references writes it; anything else than its one encoding is refused.
func TestBadInputBase64url(t *testing.T) {
	k := key(t)
	var doc map[string]any
	if err := json.Unmarshal(store(t, 2, k), &doc); err != nil {
		t.Fatal(err)
	}
	signature := inner(doc, "signature")
	value, ok := signature["value"].(string)
	raw, err := base64.RawURLEncoding.DecodeString(value)
	if !ok || err != nil || len(value) != 86 {
		t.Fatalf("%v: %s", err, value)
	}
	last := "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
	other := last[strings.IndexByte(last, value[85])+1]
	for name, c := range map[string]struct {
		value string
		good  bool
	}{
		"unpadded": {value, true}, "padded": {value + "==", true},
		"padded by one": {value + "=", false}, "padded too much": {value + "===", false}, "padded inside": {value[:40] + "=" + value[40:], false},
		"the other alphabet": {strings.Repeat("+/", 43), false}, "a line break inside": {value[:40] + "\n" + value[40:], false}, "a line break behind": {value + "\n", false},
		"a space": {" " + value, false}, "other last bits": {value[:85] + string(other), false}, "cut off": {value[:85], false}, "hex": {strings.Repeat("0f", 64), false},
		"standard base64": {base64.StdEncoding.EncodeToString(bytes.Repeat([]byte{0xfb}, 64)), false}, "twice": {base64.RawURLEncoding.EncodeToString(append(raw, raw...)), false},
	} {
		signature["value"] = c.value
		r := verify(t, encoded(t, doc), pam.Trust{})
		if good := r.Verdict == pam.Unknown; good != c.good || !good && !hasAt(r.Problems, "signature", "/signature/value") {
			t.Errorf("%s: %+v", name, r)
		}
	}
}

// TestBadInputWrongCase: names are compared as they are; Go's own decoder would
// take "ID" for "id".
func TestBadInputWrongCase(t *testing.T) {
	text := string(store(t, 2, key(t)))
	for _, c := range []struct{ from, to, place string }{
		{`"memories": [`, `"Memories": [`, ""}, {`"owner": {`, `"OWNER": {`, ""}, {`"id":"mem-00001"`, `"ID":"mem-00001"`, "/memories/1"},
		{`"content":"Fact nº 1`, `"Content":"Fact nº 1`, "/memories/1"}, {`"content_hash":`, `"contentHash":`, "/memories/0"}, {`"checksum":`, `"Checksum":`, "/integrity"},
		{`"value":`, `"Value":`, "/signature"}, {`"created_at":`, `"Created_At":`, "/owner"},
	} {
		v := validate(t, "x.json", []byte(strings.Replace(text, c.from, c.to, 1)))
		if v.Valid || !hasAt(v.Errors, "schema", c.place) {
			t.Errorf("%s: %+v", c.to, v.Errors)
		}
		if r := verify(t, []byte(strings.Replace(text, c.from, c.to, 1)), pam.Trust{}); r.Valid {
			t.Errorf("%s: %+v", c.to, r)
		}
	}
	both := with(t, text, `"id":"mem-00001"`, `"ID":"other","id":"mem-00001"`)
	if r := verify(t, []byte(both), pam.Trust{}); r.Verdict != pam.Broken || !hasAt(r.Problems, "schema", "/memories/1") {
		t.Errorf("one name in two cases: %+v", r)
	}
}

// TestBadInputRefsOutsideTheBundle: nothing outside is looked at, wherever a
// reference points.
func TestBadInputRefsOutsideTheBundle(t *testing.T) {
	outside := t.TempDir()
	good := conversationHead + `"messages":[` + message("a", ``) + `,` + message("b", ``) + `]}`
	if err := os.WriteFile(filepath.Join(outside, "conv-1.json"), []byte(good), 0o600); err != nil {
		t.Fatal(err)
	}
	leaving := []string{
		"../conv-1.json", "conversations/../../conv-1.json", "/conv-1.json", filepath.Join(outside, "conv-1.json"),
		`..\conv-1.json`, `C:\conv-1.json`, "C:conv-1.json", `\\server\share\conv-1.json`, "..", "conv-1.json\x00.json",
	}
	nowhere := []string{"file://" + filepath.ToSlash(outside) + "/conv-1.json", "conversations/link.json", "", ".", "conversations", "~/conv-1.json", "%2e%2e/conv-1.json"}
	for _, ref := range slices.Concat(leaving, nowhere) {
		dir := filepath.Join(outside, "bundle")
		if err := os.MkdirAll(filepath.Join(dir, "conversations"), 0o700); err != nil {
			t.Fatal(err)
		}
		text := edited(t, func(d map[string]any) {
			d["conversations_index"].([]any)[0].(map[string]any)["storage"] = map[string]any{"type": "file", "ref": ref}
		})
		write := os.WriteFile(filepath.Join(dir, "memory-store.json"), text, 0o600)
		if err := errors.Join(write, os.WriteFile(filepath.Join(dir, "conversations", "readme.txt"), nil, 0o600)); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(filepath.Join(outside, "conv-1.json"), filepath.Join(dir, "conversations", "link.json")); err != nil && !errors.Is(err, os.ErrExist) {
			t.Skipf("no links here: %v", err)
		}
		v, err := pam.Validate(context.Background(), folder(t, dir), compiled(t))
		if err != nil || v.Valid || !has(v.Errors, "storage-ref") && !has(v.Errors, "schema") {
			t.Errorf("%q: %+v, %v", ref, v, err)
		}
		saidToLeave := slices.ContainsFunc(v.Errors, func(f pam.Finding) bool { return f.Message == "leaves the bundle" })
		if slices.Contains(leaving, ref) != saidToLeave {
			t.Errorf("%q: %+v", ref, v.Errors)
		}
		if in, err := pam.Inspect(context.Background(), folder(t, dir)); err != nil || in.Messages != 0 {
			t.Errorf("%q: %+v, %v", ref, in, err)
		}
	}
}

// generated is a text that is never held: a start, as many pieces as fit, and
// an end.
type generated struct {
	start, piece, end string
	pieces            int64
}

func (g generated) size() int64 {
	return int64(len(g.start)) + g.pieces*int64(len(g.piece)) + int64(len(g.end))
}

func (g generated) ReadAt(p []byte, off int64) (n int, err error) {
	for n < len(p) {
		at := off + int64(n)
		switch middle := at - int64(len(g.start)); {
		case middle < 0:
			n += copy(p[n:], g.start[at:])
		case middle < g.pieces*int64(len(g.piece)):
			n += copy(p[n:], g.piece[middle%int64(len(g.piece)):])
		case at < g.size():
			n += copy(p[n:], g.end[at-g.size()+int64(len(g.end)):])
		default:
			return n, io.EOF
		}
	}
	return n, nil
}

// validated reads a generated text, and tells the most heap that it took.
func (g generated) validated(t *testing.T) (v pam.Validation, most uint64, err error) {
	t.Helper()
	heap := &watched{at: g, every: 1 << 10}
	tr, err := intake.Open(t.Context(), []intake.Source{intake.FromReaderAt("big.json", g.size(), heap)}, intake.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer tr.Close()
	before := heapNow()
	v, err = pam.Validate(t.Context(), tr, compiled(t))
	return v, max(heap.most, before) - before, err
}

// TestBadInputTwoGigabytes: what is not a document is refused at its first
// wrong byte, what is one is streamed, and one piece has a limit.
func TestBadInputTwoGigabytes(t *testing.T) {
	const size = 2 << 30
	head := `{"schema":"portable-ai-memory","schema_version":"1.0","owner":{"id":"o"},"memories":[`
	zeros := generated{head, "\x00", "", size}
	if v, most, err := zeros.validated(t); err != nil || !hasAt(v.Errors, "json", "/memories/0") || most > 8<<20 {
		t.Errorf("zeros: %+v, %v, %d bytes held", v, err, most)
	}
	space := generated{head, strings.Repeat(" \n\t", 1<<18), "]}", size / (3 << 18)}
	if v, most, err := space.validated(t); err != nil || !v.Valid || most > 8<<20 {
		t.Errorf("white space: %+v, %v, %d bytes held", v, err, most)
	}
	var f *fault.Error
	if err := pam.WalkWithin(io.LimitReader(endless('x'), size), 1<<20); err == nil {
		t.Error("endless letters are a document")
	}
	text := io.MultiReader(strings.NewReader(head+`"`), io.LimitReader(endless('x'), size))
	if err := pam.WalkWithin(text, 1<<20); !errors.As(err, &f) || f.Code != fault.TooLarge {
		t.Errorf("one piece without an end: %v", err)
	}
	if os.Getenv("KEEPSAKE_SOAK") == "" {
		t.Log("2 GB of memories are read in the soak")
		return
	}
	one := string(encoded(t, mem(map[string]any{"memories": []any{decoded(t, string(pieces(t)["memory"]))}}, 0)))
	memories := generated{head + one, "," + strings.Replace(one, `"content":"`, `"content":"`+strings.Repeat("x", 1<<20), 1), "]}", size>>20 - 1}
	v, most, err := memories.validated(t)
	t.Logf("%d MB, %d checks, %d MB of heap at most", memories.size()>>20, v.ChecksRun, most>>20)
	if err != nil || v.ChecksRun < int(memories.pieces)*3 || most > 64<<20 {
		t.Errorf("memories: %d errors, %v, %d bytes held", len(v.Errors), err, most)
	}
}

// endless is one byte for ever.
type endless byte

func (e endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = byte(e)
	}
	return len(p), nil
}

// TestNewerCharactersCannotBeChecked: a program with newer tables lowers and
// composes what Unicode 15.0 does not know, so that another hash of such a text
// is no proof of a change; of any other text it is.
func TestNewerCharactersCannotBeChecked(t *testing.T) {
	for _, c := range []struct {
		content string
		verdict pam.Verdict
	}{
		{"\u1c89 of Unicode 16", pam.Uncheckable}, {"\U00010d50 of Unicode 16", pam.Uncheckable}, {"\ua7ce of Unicode 17", pam.Uncheckable}, {"\u0378 of none yet", pam.Uncheckable},
		{"\U0001e030 of Unicode 15", pam.Broken}, {"\ue000 of private use", pam.Broken}, {"\uffff of none ever", pam.Broken}, {"\ufdd0 of none ever", pam.Broken}, {"plain", pam.Broken},
	} {
		text := edited(t, func(d map[string]any) { mem(d, 0)["content"] = c.content })
		if r := verify(t, text, pam.Trust{}); r.Verdict != c.verdict || !hasAt(r.Problems, "content-hash", "/memories/0/content_hash") {
			t.Errorf("%+q: %+v", c.content, r)
		}
		v := validate(t, "x.json", text)
		if v.Valid != (c.verdict == pam.Uncheckable) || v.Valid && !has(v.Warnings, "content-hash") {
			t.Errorf("%+q: %+v", c.content, v)
		}
		same := edited(t, func(d map[string]any) {
			mem(d, 0)["content"], mem(d, 0)["content_hash"] = c.content, memory.ContentHash(c.content)
		})
		if r := verify(t, same, pam.Trust{}); r.Verdict != pam.Unsigned {
			t.Errorf("%+q with its hash: %+v", c.content, r)
		}
	}
}
