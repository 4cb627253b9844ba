package chatgpt_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"keepsake/backend/fault"
	"keepsake/backend/importer"
	"keepsake/backend/importer/chatgpt"
	"keepsake/backend/importer/importertest/gen"
)

// zipOf packs names and texts, in pairs.
func zipOf(pairs ...string) []byte {
	var files []gen.File
	for i := 0; i < len(pairs); i += 2 {
		files = append(files, gen.File{Name: pairs[i], Data: []byte(pairs[i+1])})
	}
	return gen.Zip(files)
}

const (
	png  = "\x89PNG\r\n\x1a\npixels"
	webp = "RIFF\x10\x00\x00\x00WEBPVP8 pixels"
	wav  = "RIFF\x10\x00\x00\x00WAVEfmt sound"
)

// withImage is a conversation whose only message points at a picture.
func withImage(pointer string) string {
	return "[" + messageJSON(asUser, fmt.Sprintf(`{"content_type":"multimodal_text","parts":[{"content_type":"image_asset_pointer","asset_pointer":%q,"size_bytes":9,"width":1,"height":1},"look"]}`, pointer), "{}", "") + "]"
}

// TestCase17WhereAssetsLie: each way in which an export has named its files.
func TestCase17WhereAssetsLie(t *testing.T) {
	for name, c := range map[string]struct{ pointer, file string }{
		"dat":                {"sediment://file_00ab12", "file_00ab12.dat"},
		"sanitized":          {"sediment://file_00ab12", "file_00ab12-sanitized.png"},
		"original name":      {"file-service://file-AbC123", "file-AbC123-my picture.png"},
		"extension":          {"file-service://file-AbC123", "file-AbC123.png"},
		"no extension":       {"file-service://file-AbC123", "file-AbC123"},
		"dalle":              {"file-service://file-AbC123", "dalle-generations/file-AbC123-0f3e.webp"},
		"user folder":        {"sediment://file_00ab12", "user-XyZ/file_00ab12-0f3e.png"},
		"conversation":       {"sediment://file_00ab12", "c-1/audio/file_00ab12.wav"},
		"query and fragment": {"sediment://file_00ab12?x=1#y", "file_00ab12.dat"},
		"bare id":            {"file-AbC123", "file-AbC123.dat"},
		"folder around":      {"sediment://file_00ab12", "export/user-1/file_00ab12-x.png"},
	} {
		t.Run(name, func(t *testing.T) {
			c := read(t, "export.zip", zipOf("conversations.json", withImage(c.pointer), c.file, png, "file_00ab12ff.dat", "other", "file-AbC123x.dat", "other"))
			m := c.conversations[0].Messages[0]
			if len(m.Attachments) != 1 || string(c.files[m.Attachments[0].Ref]) != png || len(c.missing) != 0 {
				t.Fatalf("attachments %+v, missing %v", m.Attachments, c.missing)
			}
			part := m.Content.Parts[0]
			if part.Type != "image" || part.Ref != m.Attachments[0].Ref || part.MIMEType != "image/png" || m.Content.Parts[1].Text != "look" {
				t.Errorf("parts %+v", m.Content.Parts)
			}
		})
	}
}

// TestCase17BytesSayWhatAFileIs: case 17, RIFF is WebP or WAV, a .dat is anything.
func TestCase17BytesSayWhatAFileIs(t *testing.T) {
	for data, want := range map[string]string{
		png: "image image/png", webp: "image image/webp", wav: "audio audio/wav", "\xff\xd8\xff\xe0": "image image/jpeg",
		"GIF89a": "image image/gif", "%PDF-1.7": "document application/pdf", "ID3\x04": "audio audio/mpeg",
		"\x00\x00\x00\x20ftypisom": "video video/mp4", "RIFF\x10\x00\x00\x00AVI ": "image application/octet-stream", "": "image application/octet-stream",
	} {
		c := read(t, "export.zip", zipOf("conversations-000.json", withImage("sediment://file_1"), "file_1.dat", data))
		a := c.conversations[0].Messages[0].Attachments[0]
		if got := a.Type + " " + a.MIMEType; got != want {
			t.Errorf("%q: %s, want %s", data, got, want)
		}
	}
}

// TestCase17DisplayNames: case 17, a map value is a name, a path or a bare uuid.
func TestCase17DisplayNames(t *testing.T) {
	for listed, want := range map[string]string{
		"Screenshot 1.jpg": "Screenshot 1.jpg", "dalle-generations/0f3e.webp": "0f3e.webp",
		"0f3e0f3e-0f3e-4f3e-8f3e-0f3e0f3e0f3e": "file_1.dat", "": "file_1.dat",
	} {
		c := read(t, "export.zip", zipOf("conversations-000.json", withImage("sediment://file_1"), "file_1.dat", png,
			"conversation_asset_file_names.json", fmt.Sprintf(`{"file_1.dat":%q,"other":7}`, listed)))
		if a := c.conversations[0].Messages[0].Attachments[0]; a.Name != want {
			t.Errorf("%q: %q", listed, a.Name)
		}
	}
	c := read(t, "export.zip", zipOf("conversations-000.json", withImage("sediment://file_1"), "file_1.dat", png,
		"library_files.json", `[{"file_id":"file_1","file_name":"from library.png","mime_type":"image/png"},17,{"file_id":null}]`))
	if a := c.conversations[0].Messages[0].Attachments[0]; a.Name != "from library.png" {
		t.Errorf("library: %q", a.Name)
	}
}

// TestCase18MissingAssetsAreNormal: case 18, counted once, named, the rest goes on.
func TestCase18MissingAssetsAreNormal(t *testing.T) {
	c := read(t, "export.zip", zipOf("conversations.json", withImage("sediment://file_1")+"  "))
	m := c.conversations[0].Messages[0]
	if !slices.Equal(c.missing, []string{"file_1"}) || len(m.Attachments) != 1 || m.Attachments[0].Ref != "" || *m.Attachments[0].SizeBytes != 9 {
		t.Errorf("missing %v, attachments %+v", c.missing, m.Attachments)
	}
}

// TestAFileNamedTwiceIsOneAttachment: an upload stands in metadata and in parts.
func TestAFileNamedTwiceIsOneAttachment(t *testing.T) {
	json := "[" + messageJSON(asUser, `{"content_type":"multimodal_text","parts":[{"content_type":"image_asset_pointer","asset_pointer":"sediment://file_1"},"x"]}`,
		`{"attachments":[{"id":"file_1","name":"cat.png","mimeType":"image/png","size":14},{"id":"file_2","name":"notes.txt","mime_type":"text/plain","size":4}]}`, "") + "]"
	c := read(t, "export.zip", zipOf("conversations.json", json, "file_1.dat", png, "file_2.dat", "text"))
	var got []string
	for _, a := range c.conversations[0].Messages[0].Attachments {
		got = append(got, strings.Join([]string{a.Type, a.Name, a.MIMEType, a.ProviderID}, " "))
	}
	if d := cmp.Diff([]string{"image cat.png image/png file_1", "document notes.txt text/plain file_2"}, got); d != "" {
		t.Error(d)
	}
}

// TestNamesAreNoPaths: whatever a message calls a file, a name is all it gets.
func TestNamesAreNoPaths(t *testing.T) {
	for given, want := range map[string]string{
		"../../etc/passwd": "passwd", `C:\Users\x\cat.png`: "cat.png", "..": "notes.dat", "a\x00b\n.png": "ab.png", "dir/": "notes.dat",
	} {
		quoted, err := json.Marshal(given)
		if err != nil {
			t.Fatal(err)
		}
		talk := "[" + messageJSON(asUser, `{"content_type":"text","parts":["x"]}`, `{"attachments":[{"id":"notes","name":`+string(quoted)+`}]}`, "") + "]"
		c := read(t, "export.zip", zipOf("conversations.json", talk, "notes.dat", "text"))
		if a := c.conversations[0].Messages[0].Attachments[0]; a.Name != want {
			t.Errorf("%q: %q", given, a.Name)
		}
	}
}

// TestVoiceAndVideo: transcriptions are text, recordings are attachments.
func TestVoiceAndVideo(t *testing.T) {
	json := "[" + messageJSON(asUser, `{"content_type":"multimodal_text","parts":[
		{"content_type":"audio_transcription","text":"hello","direction":"in","decoding_id":null},
		{"content_type":"audio_asset_pointer","asset_pointer":"sediment://file_1","format":"wav","size_bytes":1,"metadata":{"start":0,"end":2.1}},
		{"content_type":"real_time_user_audio_video_asset_pointer","audio_asset_pointer":{"content_type":"audio_asset_pointer","asset_pointer":"sediment://file_2"},
		 "frames_asset_pointers":["sediment://file_3"],"video_container_asset_pointer":null,"audio_start_timestamp":1.0}]}`, "{}", "") + "]"
	c := read(t, "export.zip", zipOf("conversations.json", json, "file_1.dat", wav, "file_2.dat", wav+"2", "file_3.dat", png))
	m := c.conversations[0].Messages[0]
	var got []string
	for _, p := range m.Content.Parts {
		got = append(got, p.Type+p.Text)
	}
	if !slices.Equal(got, []string{"texthello", "audio", "audio", "image"}) || len(c.files) != 3 {
		t.Errorf("parts %v, %d files", got, len(c.files))
	}
}

// TestFilesAToolMade: a link into the sandbox is resolved by the library, and
// pictures that python drew are attachments.
func TestFilesAToolMade(t *testing.T) {
	json := "[" + messageJSON(asAssistant, `{"content_type":"text","parts":["Done: [table](sandbox:/mnt/data/table.csv)."]}`,
		`{"aggregate_result":{"code":"x","messages":[{"message_type":"image","image_url":"file-service://file-Plot1"},{"message_type":"stream","text":"1"}]}}`, "") + "]"
	c := read(t, "export.zip", zipOf("conversations.json", json, "file_9.dat", "a,b", "file-Plot1.png", png,
		"library_files.json", `[{"file_id":"file_9","file_name":"table.csv","mime_type":"text/csv","origination_message_id":"m"},{"file_id":"file_8","file_name":"other.csv","origination_message_id":"m"}]`))
	var got []string
	for _, a := range c.conversations[0].Messages[0].Attachments {
		got = append(got, a.Type+" "+a.Name)
	}
	if !slices.Equal(got, []string{"image file-Plot1.png", "document table.csv"}) {
		t.Errorf("attachments %v", got)
	}
}

// TestADamagedAssetStopsNothing: it is a problem with its name.
func TestADamagedAssetStopsNothing(t *testing.T) {
	data := zipOf("conversations.json", withImage("sediment://file_1"), "file_1.dat", png+strings.Repeat("unlike", 99))
	at := strings.LastIndex(string(data), "unlike")
	if at < 0 { // deflated: spoil the stream instead
		at = strings.Index(string(data), "file_1.dat") + len("file_1.dat") + 12
	}
	data[at] ^= 0x55
	c := read(t, "export.zip", data)
	if len(c.conversations) != 1 || len(c.problems) != 1 || c.problems[0].Path != "file_1.dat" {
		t.Errorf("%d conversations, problems %+v", len(c.conversations), c.problems)
	}
}

// TestTheSinkHasTheLastWord: its errors end the reading unchanged, at once.
func TestTheSinkHasTheLastWord(t *testing.T) {
	full := errors.New("disk full")
	data, _ := gen.ChatGPT(gen.ChatGPTOptions{Seed: 2, Era: gen.Assets})
	for _, what := range []string{"conversation", "memory", "attachment", "retraction"} {
		c := newCollector()
		failed := 0
		c.failOn = func(w string) error {
			if w == what {
				failed++
				return full
			}
			return nil
		}
		err := (chatgpt.Importer{}).Read(context.Background(), open(t, "export.zip", data), c)
		if err != full || failed != 1 || len(c.problems) > 0 {
			t.Errorf("%s: %v after %d failures, problems %v", what, err, failed, c.problems)
		}
	}
}

func TestCancelStops(t *testing.T) {
	data, _ := gen.ChatGPT(gen.ChatGPTOptions{Seed: 2, Era: gen.Portal})
	ctx, cancel := context.WithCancel(context.Background())
	c := newCollector()
	c.failOn = func(string) error { cancel(); return nil }
	err := (chatgpt.Importer{}).Read(ctx, open(t, "export.zip", data), c)
	if !errors.Is(err, context.Canceled) || len(c.conversations) > 1 {
		t.Errorf("%v after %d conversations", err, len(c.conversations))
	}
}

// TestTruncatedJSON: what came whole stands; the end is an error, and one
// broken shard of several is a problem.
func TestTruncatedJSON(t *testing.T) {
	data, _ := gen.ChatGPT(gen.ChatGPTOptions{Seed: 2, Era: gen.Loose})
	step := len(data)/200 + 1
	for n := 1; n < len(data); n += step {
		c := newCollector()
		tree := open(t, "chat.json", data[:n])
		m, err := chatgpt.Importer{}.Sniff(context.Background(), tree)
		if err != nil {
			t.Fatal(err)
		}
		if m.Certainty != importer.None {
			err = (chatgpt.Importer{}).Read(context.Background(), tree, c)
			if err == nil || fault.CodeOf(err) != fault.Invalid {
				t.Errorf("%d bytes: %v", n, err)
			}
		}
		if len(c.conversations) > 0 {
			t.Errorf("%d bytes: invented a conversation", n)
		}
	}
	shards, _ := gen.ChatGPTFiles(gen.ChatGPTOptions{Seed: 2, Era: gen.Sharded, ShardSize: 3})
	shards[1].Data = shards[1].Data[:len(shards[1].Data)/2]
	c := read(t, "export.zip", gen.Zip(shards))
	if len(c.problems) != 1 || c.problems[0].Path != "conversations-001.json" || len(c.conversations) < 3 {
		t.Errorf("%d conversations, problems %+v", len(c.conversations), c.problems)
	}
}

// TestCase41BadTextIsMendedAndCounted: lone surrogates, NUL, a byte order mark.
func TestCase41BadTextIsMendedAndCounted(t *testing.T) {
	json := "\ufeff[" + messageJSON(asUser, `{"content_type":"text","parts":["a\ud800b\u0000c`+"\xff"+`d"]}`, "{}", "") + "]"
	c := read(t, "conversations.json", []byte(json))
	if got := c.conversations[0].Messages[0].Content.PlainText(); got != "a\ufffdb\x00c\ufffdd" {
		t.Errorf("text %q", got)
	}
	if len(c.problems) != 1 || c.problems[0].Fault.Args["count"] != "2" {
		t.Errorf("problems %+v", c.problems)
	}
}

// TestAnExportWithoutConversations ends in a sentence.
func TestAnExportWithoutConversations(t *testing.T) {
	tree := open(t, "export.zip", zipOf("conversations.json", "[]", "message_feedback.json", "[]"))
	m, err := chatgpt.Importer{}.Sniff(context.Background(), tree)
	if err != nil || m.Certainty != importer.Certain {
		t.Fatalf("%+v %v", m, err)
	}
	err = (chatgpt.Importer{}).Read(context.Background(), tree, newCollector())
	if fault.From(err).Reason != "no-conversations" {
		t.Errorf("%v", err)
	}
}
