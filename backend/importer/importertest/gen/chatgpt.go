package gen

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"time"
)

// Era is a layout of ChatGPT's exports.
type Era string

const (
	Single  Era = "single"         // conversations.json, assets under their own names
	Object  Era = "object"         // the same, the array under "conversations"
	Sharded Era = "sharded"        // conversations-NNN.json and a manifest
	Assets  Era = "assets"         // shards, .dat files and their names
	Slim    Era = "slim"           // as Assets, with few fields and no memories
	Portal  Era = "privacy-portal" // Assets, as zips in a zip
	Loose   Era = "loose"          // one conversation object
)

// Eras lists all layouts.
func Eras() []Era { return []Era{Single, Object, Sharded, Assets, Slim, Portal, Loose} }

// ChatGPTOptions of a generated export. Zero values make a small full one.
type ChatGPTOptions struct {
	Seed          uint64
	Era           Era // "" is Single
	Conversations int // 0 is 6
	Turns         int // questions with an answer in each conversation; 0 is 4
	ShardSize     int // conversations in a shard; 0 is 100
	// Later adds one turn to every conversation and one conversation to the
	// export: what the same account exports some time later.
	Later bool
	// DropShard leaves out a shard that the manifest lists, counted from 1.
	DropShard int
	// Bare leaves out memories, assets and forks.
	Bare bool
}

func (o ChatGPTOptions) orDefaults() ChatGPTOptions {
	o.Era, o.Conversations, o.Turns, o.ShardSize = cmp.Or(o.Era, Single), cmp.Or(o.Conversations, 6), cmp.Or(o.Turns, 4), cmp.Or(o.ShardSize, 100)
	if o.Era == Loose {
		o.Conversations = 1
	}
	return o
}

// ChatGPT makes an export as one file: a zip, or JSON for Loose.
func ChatGPT(o ChatGPTOptions) ([]byte, Truth) {
	files, truth := ChatGPTFiles(o)
	if o.Era == Loose {
		return files[0].Data, truth
	}
	return Zip(files), truth
}

// ChatGPTFiles makes the files of an export, to be zipped or laid in a folder.
func ChatGPTFiles(o ChatGPTOptions) ([]File, Truth) {
	o = o.orDefaults()
	e := &chatGPT{maker: newMaker(o.Seed), ChatGPTOptions: o, names: object{}, library: []object{}}
	e.truth.Account = "user-" + e.hex(16)
	count := o.Conversations
	if o.Later {
		count++
	}
	for i := range count {
		e.talks = append(e.talks, e.talk(i))
	}
	e.truth.Records += e.truth.Messages + len(e.truth.Forgotten) + min(2, e.contexts)*(len(profile)+1) // of what all repeat, the first and the last count
	return e.files(), e.truth
}

// chatGPT is an export being made.
type chatGPT struct {
	maker
	ChatGPTOptions
	truth Truth
	talks []object
	// contexts counts the conversations that state the profile and instructions.
	contexts int
	assets   []File
	names    object
	library  []object
}

func (e *chatGPT) slim() bool { return e.Era == Slim }

// files lays the conversations out as the era does.
func (e *chatGPT) files() []File {
	if e.Era == Loose {
		return []File{{Name: "ChatGPT-conversation.json", Data: toJSON(e.talks[0])}}
	}
	user := File{Name: "user.json", Data: toJSON(object{
		"id": e.truth.Account, "email": "person@example.com", "chatgpt_plus_user": false, "phone_number": "+15550100",
	})}
	switch e.Era {
	case Single:
		return append([]File{{Name: "conversations.json", Data: toJSON(e.talks)}, user, e.feedback(),
			{Name: "group_chats.json", Data: []byte(`{"chats":[]}`)}, {Name: "shopping.json", Data: []byte("[]")}, {Name: "sora.json", Data: []byte("{}")},
		}, e.assets...)
	case Object:
		return append([]File{{Name: "conversations.json", Data: toJSON(object{"conversations": e.talks})}, user}, e.assets...)
	case Portal:
		return e.portal(user)
	}
	files := append(e.shards(), user, e.shared(), e.comparisons())
	files = append(files, e.aside()...)
	if e.Era != Sharded {
		files = append(files, e.lists()...)
	}
	return append(files, e.assets...)
}

// feedback rates the last answer of the first conversation.
func (e *chatGPT) feedback() File {
	talk := e.truth.Conversations[0]
	e.truth.Remarks++
	return File{Name: "message_feedback.json", Data: toJSON([]object{{"id": talk.Leaf, "conversation_id": talk.ID, "user_id": e.truth.Account,
		"rating": "thumbsUp", "create_time": "2024-07-02T10:00:00.000000Z", "content": "{}"}})}
}

// shared is a link that shows the first conversation to others.
func (e *chatGPT) shared() File {
	talk := e.truth.Conversations[0]
	e.truth.Remarks++
	return File{Name: "shared_conversations.json", Data: toJSON([]object{{"id": "share-1", "conversation_id": talk.ID, "title": talk.Title, "is_anonymous": true}})}
}

// comparisons hold one choice between two answers in the first conversation,
// and one that does not say where it was made.
func (e *chatGPT) comparisons() File {
	talk := e.truth.Conversations[0]
	e.truth.Remarks++
	e.unread("record:model_comparisons", 1)
	return File{Name: "model_comparisons.json", Data: toJSON([]object{
		{"id": "comparison-1", "conversation_id": talk.ID, "evaluation_rating": "same"},
		{"id": "comparison-2", "input": object{"left": "a", "right": "b"}},
	})}
}

func (e *chatGPT) unread(kind string, rows int) {
	if e.truth.Unread == nil {
		e.truth.Unread = map[string]int{}
	}
	e.truth.Unread[kind] += rows
	e.truth.Records += rows
}

// aside are lists of no conversation.
func (e *chatGPT) aside() []File {
	e.unread("record:group_chats", 2)
	e.unread("record:shopping", 1)
	e.unread("record:sora", 3)
	return []File{
		{Name: "group_chats.json", Data: toJSON(object{"chats": []object{{"id": "g-1", "messages": []object{}}, {"id": "g-2"}}})},
		{Name: "shopping.json", Data: toJSON([]object{{"query": "socks"}})},
		{Name: "sora.json", Data: toJSON(object{"user": object{"name": "person"}, "generations": []object{{"id": "gen-1"}, {"id": "gen-2"}}})},
	}
}

func (e *chatGPT) lists() []File {
	return []File{
		{Name: "conversation_asset_file_names.json", Data: toJSON(e.names)},
		{Name: "library_files.json", Data: toJSON(e.library)},
	}
}

// portal is the answer to a data request: zips inside a zip, one of them with
// another inside.
func (e *chatGPT) portal(user File) []File {
	talks := Zip(append(e.shards(), append(e.lists(), user)...))
	assets := Zip([]File{{Name: "Files_inner-files-0002.zip", Data: Zip(e.assets)}})
	e.truth.Others = 2
	e.truth.Records += e.truth.Others
	return []File{
		{Name: "report.html", Data: []byte("<p>Report</p>")},
		{Name: "User Profile/profile.json", Data: []byte(`{"name":"person"}`)},
		{Name: "User Online Activity/Conversations__abc-chatgpt-0001.zip", Data: talks},
		{Name: "User Online Activity/Files_abc-files-0001.zip", Data: assets, Store: true},
	}
}

func (e *chatGPT) shards() []File {
	var files []File
	var listed []string
	n := 0
	for part := range slices.Chunk(e.talks, e.ShardSize) {
		name := fmt.Sprintf("conversations-%03d.json", n)
		listed = append(listed, name)
		if n++; n != e.DropShard {
			files = append(files, File{Name: name, Data: toJSON(part)})
		}
	}
	return append(files, File{Name: "export_manifest.json", Data: toJSON(object{
		"version": 1, "manifest_file": "export_manifest.json",
		"logical_files": object{"conversations.json": object{"files": listed, "sharded": true}},
	})})
}

// talkMaker is one conversation being made.
type talkMaker struct {
	*chatGPT
	plan    Talk
	mapping object
	created time.Time
	now     time.Time
	last    string // node the next one hangs on
	path    []string
}

func (e *chatGPT) talk(i int) object {
	t := e.newTalk(i)
	if !t.slim() {
		t.context(i)
	}
	turns := t.Turns
	if t.Later {
		turns++
	}
	for k := range turns {
		t.turn(i, k)
	}
	return t.done()
}

// newTalk begins a conversation with its root.
func (e *chatGPT) newTalk(i int) *talkMaker {
	e.maker = newMaker(e.Seed<<20 + uint64(i) + 1) // one conversation more or longer changes no other
	t := &talkMaker{chatGPT: e, mapping: object{}, now: start.AddDate(0, 0, i)}
	t.plan = Talk{ID: e.uuid(), Title: fmt.Sprintf("Conversation %d %s", i, e.sentence(2))}
	t.created = t.now
	t.node(t.uuid(), nil)
	return t
}

// done notes what was planted.
func (t *talkMaker) done() object {
	t.plan.Messages, t.plan.Leaf, t.plan.Path = len(t.mapping), t.last, t.path
	t.truth.Conversations = append(t.truth.Conversations, t.plan)
	t.truth.Messages += t.plan.Messages
	t.truth.Empty++ // the root
	return t.object(t.created)
}

// object is the conversation around its mapping.
func (t *talkMaker) object(created time.Time) object {
	o := object{
		"id": t.plan.ID, "conversation_id": t.plan.ID, "title": t.plan.Title, "mapping": t.mapping,
		"create_time": seconds(created), "update_time": seconds(t.now), "current_node": t.last,
		"default_model_slug": "gpt-4o", "is_archived": false, "is_do_not_remember": false, "is_starred": nil,
		"memory_scope": "global_enabled", "pinned_time": nil, "plugin_ids": nil, "voice": nil, "conversation_template_id": nil,
	}
	if t.slim() {
		o["is_read_only"], o["is_study_mode"] = nil, false
		return o
	}
	o["safe_urls"], o["blocked_urls"], o["moderation_results"] = []string{}, []string{}, []string{}
	o["gizmo_id"], o["async_status"], o["conversation_origin"] = nil, nil, nil
	return o
}

// node hangs a message on the last node; message nil makes a root.
func (t *talkMaker) node(id string, message object) {
	n := object{"id": id, "parent": nil, "message": nil}
	if message != nil {
		n["message"] = message
	}
	if !t.slim() {
		n["children"] = []string{}
	}
	if t.last != "" {
		n["parent"] = t.last
		if parent := t.mapping[t.last].(object); !t.slim() {
			parent["children"] = append(parent["children"].([]string), id)
		}
	}
	t.mapping[id] = n
	t.last = id
	t.path = append(t.path, id)
}

// say adds a message of the shape of its era.
func (t *talkMaker) say(role string, content, metadata object) object {
	t.now = t.now.Add(17*time.Second + time.Duration(t.IntN(900))*time.Millisecond)
	id := t.uuid()
	m := object{
		"id": id, "author": object{"role": role}, "create_time": seconds(t.now), "content": content, "metadata": metadata,
	}
	if !t.slim() {
		m["author"] = object{"role": role, "name": nil, "metadata": object{}}
		m["update_time"], m["status"], m["end_turn"], m["weight"] = nil, "finished_successfully", nil, 1.0
		m["recipient"], m["channel"] = "all", nil
	}
	t.node(id, m)
	return m
}

func textContent(said string) object { return object{"content_type": "text", "parts": []any{said}} }

// turn is a question and its answer; the second question of every third
// conversation was asked in other words first.
func (t *talkMaker) turn(talk, k int) {
	before := t.last
	if !t.Bare && talk%3 == 0 && k == 1 {
		abandoned := len(t.path)
		t.say("user", textContent(t.sentence(6)), object{})
		t.say("assistant", textContent(t.sentence(12)), object{"model_slug": "gpt-4o"})
		t.last, t.path = before, t.path[:abandoned]
	}
	question := t.sentence(8 + t.IntN(20))
	t.plan.Said = append(t.plan.Said, question)
	content, meta := textContent(question), object{}
	if !t.Bare && k == 2 {
		content, meta = t.picture(talk, question)
	}
	if !t.Bare && talk%4 == 1 && k == 1 {
		content = object{"content_type": "multimodal_text", "parts": []any{object{"content_type": "audio_transcription", "text": question, "direction": "in", "decoding_id": nil}}}
	}
	t.say("user", content, meta)
	if !t.Bare && !t.slim() && k == 0 {
		t.remember(talk)
	}
	if !t.Bare && !t.slim() && talk%4 == 1 && k == 1 {
		t.work()
	}
	t.say("assistant", textContent(t.sentence(30+t.IntN(60))), object{"model_slug": "gpt-4o"})
}

// work is what an assistant does before it answers: it thinks, computes, and
// writes a document twice.
func (t *talkMaker) work() {
	t.say("assistant", object{"content_type": "thoughts", "source_analysis_msg_id": t.uuid(), "thoughts": []any{
		object{"summary": "Adding up", "content": "I should compute this.", "chunks": []any{}, "finished": true}}}, object{"model_slug": "o3"})
	t.use("python", object{"content_type": "code", "language": "unknown", "text": "print(6 * 7)"})
	t.answer("python", object{"content_type": "execution_output", "text": "42\n"})
	t.use("canmore.create_textdoc", codeContent(object{"name": "plan", "type": "document", "content": "# Plan\n\nWater at noon."}))
	t.answer("canmore.create_textdoc", textContent("Successfully created text document."))
	t.use("canmore.update_textdoc", codeContent(object{"updates": []any{object{"pattern": ".*", "multiple": true, "replacement": "# Plan\n\nWater at dawn."}}}))
	t.answer("canmore.update_textdoc", textContent("Successfully updated text document."))
}

func codeContent(call object) object {
	return object{"content_type": "code", "language": "json", "text": string(toJSON(call))}
}

// use is a call of a tool, and answer what it gives back.
func (t *talkMaker) use(tool string, content object) {
	m := t.say("assistant", content, object{"model_slug": "o3"})
	m["recipient"] = tool
}

func (t *talkMaker) answer(tool string, content object) {
	m := t.say("tool", content, object{})
	m["recipient"], m["author"] = "all", object{"role": "tool", "name": tool, "metadata": object{}}
}

// picture is a question with an upload; every fourth is not in the export.
func (t *talkMaker) picture(talk int, question string) (content, meta object) {
	id, scheme, size := "file-"+t.hex(12)+t.hex(10), "file-service://", 0
	if t.Era != Single && t.Era != Object {
		id, scheme = "file_00000000"+t.hex(16), "sediment://"
	}
	if t.Era != Loose && talk%4 != 3 {
		f := t.asset(id, talk)
		size = len(f.Data)
		t.assets = append(t.assets, f)
		t.truth.Attachments++
	} else {
		t.truth.Missing++
	}
	name := fmt.Sprintf("upload %d.png", talk)
	content = object{"content_type": "multimodal_text", "parts": []any{
		object{"content_type": "image_asset_pointer", "asset_pointer": scheme + id, "size_bytes": size, "width": 8, "height": 8, "metadata": nil},
		question,
	}}
	return content, object{"attachments": []any{object{"id": id, "name": name, "mime_type": "image/png", "size": size, "width": 8, "height": 8}}}
}

// asset is a file under the name its era gives it.
func (t *talkMaker) asset(id string, talk int) File {
	data := append([]byte("\x89PNG\r\n\x1a\n"), t.hex(16)...)
	if talk%2 == 1 {
		data = append([]byte("RIFF\x10\x00\x00\x00WEBPVP8 "), t.hex(16)...)
	}
	switch t.Era {
	case Single, Object:
		return File{Name: path.Join("dalle-generations", id+"-picture.png"), Data: data, Store: true}
	case Sharded:
		return File{Name: id + "-sanitized.png", Data: data, Store: true}
	}
	t.names[id+".dat"] = fmt.Sprintf("Screenshot %d.png", talk)
	t.library = append(t.library, object{"file_id": id, "file_name": fmt.Sprintf("Screenshot %d.png", talk), "mime_type": "image/png"})
	return File{Name: id + ".dat", Data: data, Store: true}
}
