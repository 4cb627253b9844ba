package claude_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"keepsake/backend/fault"
	"keepsake/backend/importer"
	"keepsake/backend/importer/claude"
	. "keepsake/backend/importer/importertest"
	"keepsake/backend/importer/importertest/gen"
	"keepsake/backend/memory"
)

// talk reads one conversation of the given messages.
func talk(t *testing.T, messages string) (*Recording, *Conversation) {
	t.Helper()
	r := Read(t, claude.Importer{}, Loose("c.json", `[{"uuid":"c","name":"n","created_at":"2026-05-01T10:00:00Z","chat_messages":[`+messages+`]}]`).Tree(t))
	if len(r.Conversations) != 1 {
		t.Fatalf("%d conversations, problems %v", len(r.Conversations), r.Problems)
	}
	return r, &r.Conversations[0]
}

// said is a message with a parent; parent "-" leaves the member out.
func said(id, parent, sender, text string) string {
	link := `"parent_message_uuid":"` + parent + `",`
	if parent == "-" {
		link = ""
	}
	return fmt.Sprintf(`{"uuid":%q,%s"sender":%q,"text":"","content":[{"type":"text","text":%q}],"created_at":"2026-05-01T10:00:00Z"}`, id, link, sender, text)
}

const root = "00000000-0000-4000-8000-000000000000"

func path(c *Conversation) string {
	c.Conversation.Leaf = c.Leaf
	var ids []string
	for _, m := range c.ActivePath() {
		ids = append(ids, m.ID)
	}
	return strings.Join(ids, " ")
}

func TestCase28BranchesEndInTheLastMessage(t *testing.T) {
	_, c := talk(t, strings.Join([]string{
		said("q", root, "human", "first"), said("a", "q", "assistant", "one answer"), said("a2", "q", "assistant", "another"),
		said("r", "a2", "human", "go on"), said("r2", "a2", "human", "go on, edited"), said("z", "r2", "assistant", "end"),
	}, ","))
	if got := path(c); got != "q a2 r2 z" {
		t.Errorf("path %q", got)
	}
	if q := c.Message("q"); fmt.Sprint(q.ChildrenIDs) != "[a a2]" || q.ParentID != "" {
		t.Errorf("q: %+v", q)
	}
}

func TestCase28TwoQuestionsInARowAndAnEmptyMessageBetween(t *testing.T) {
	_, c := talk(t, said("q1", root, "human", "one")+`,{"uuid":"e","parent_message_uuid":"q1","sender":"human","text":"","content":[],"created_at":"2026-05-01T10:00:00Z"},`+
		said("a", "e", "assistant", "both"))
	if got := path(c); got != "q1 e a" || c.Message("e").Content != nil {
		t.Errorf("path %q, empty: %+v", got, c.Message("e"))
	}
}

// Messages of the same second keep the order of the export.
func TestCase29OrderIsTheExportsNotTheClocks(t *testing.T) {
	_, c := talk(t, said("b", "-", "human", "first")+","+said("a", "-", "assistant", "second"))
	if c.Messages[0].ID != "b" || c.Leaf != "a" || c.Provider.ExportFormatVersion != "chain" {
		t.Errorf("%+v", c)
	}
}

func TestCase06BrokenTreesAreCutAndKept(t *testing.T) {
	for name, messages := range map[string]string{
		"cycle":       said("a", "c", "human", "1") + "," + said("b", "a", "human", "2") + "," + said("c", "b", "human", "3"),
		"own parent":  said("a", "a", "human", "1"),
		"orphan":      said("a", "gone", "human", "1") + "," + said("b", "a", "human", "2"),
		"twice":       said("a", root, "human", "1") + "," + said("a", root, "assistant", "2"),
		"no id":       said("", root, "human", "1") + "," + said("", root, "assistant", "2"),
		"no object":   said("a", root, "human", "1") + `,7,"x",null`,
		"odd members": `{"uuid":5,"sender":[],"text":{},"content":"no list","created_at":3,"attachments":{},"files":"f"}`,
	} {
		t.Run(name, func(t *testing.T) {
			export := `[{"uuid":"c","chat_messages":[` + messages + `]}]`
			f := Loose("c.json", export)
			f.Conversations = 1
			r := Read(t, claude.Importer{}, f.Tree(t))
			Run(t, claude.Importer{}, []Fixture{f}, nil)
			CheckMembers(t, []byte(strings.ReplaceAll("["+messages+"]", root, "")), r, translated...)
		})
	}
}

// Edits of a file or an artifact give the next version of their branch where they
// can mean one thing; the others are counted. All stay in their calls.
func TestEditsGiveVersions(t *testing.T) {
	message := func(id, parent string, calls ...string) string {
		for i, c := range calls {
			calls[i] = fmt.Sprintf(`{"type":"tool_use","id":"%s-%d",%s}`, id, i, c)
		}
		return fmt.Sprintf(`{"uuid":%q,"parent_message_uuid":%q,"sender":"assistant","text":"","created_at":"2026-05-01T10:00:00Z","content":[%s]}`,
			id, parent, strings.Join(calls, ","))
	}
	file := func(old, other string) string {
		return fmt.Sprintf(`"name":"str_replace","input":{"path":"/out/a.py","old_str":%q,"new_str":%q}`, old, other)
	}
	artifact := func(id, old, other string) string {
		return fmt.Sprintf(`"name":"artifacts","input":{"id":%q,"command":"update","old_str":%q,"new_str":%q}`, id, old, other)
	}
	r, c := talk(t, strings.Join([]string{
		message("a", root, `"name":"create_file","input":{"path":"/out/a.py","file_text":"print('tick')"}`,
			`"name":"artifacts","input":{"id":"clock","command":"create","type":"text/markdown","content":"# Clock, old"}`),
		message("b", "a", file("tick", "tock"), artifact("clock", ", old", "")),
		message("c", "a", file("tick", "bell")), // another branch
		message("d", "b", file("tick", "gone"), artifact("other", "x", "y"), file("t", "twice")),
		message("e", "b", file("tock", "ding")),
	}, ","))
	want := map[string]string{"a": "print('tick')|# Clock, old", "b": "print('tock')|# Clock", "c": "print('bell')", "d": "", "e": "print('ding')"}
	for _, m := range c.Messages {
		var got []string
		if m.Content != nil {
			for _, p := range m.Content.Parts {
				got = append(got, p.Text)
			}
		}
		if strings.Join(got, "|") != want[m.ID] {
			t.Errorf("%s: %q", m.ID, got)
		}
		if m.ID != "a" && !strings.Contains(string(m.ToolCalls[0].Input), "old_str") {
			t.Errorf("%s: call %s", m.ID, m.ToolCalls[0].Input)
		}
	}
	if r.Unknown["edit:str_replace"] != 2 || r.Unknown["edit:artifacts"] != 1 || c.Message("e").Content.Parts[0].Language != "python" {
		t.Errorf("unknown %v", r.Unknown)
	}
}

// translated are members whose values have other names in PAM.
var translated = []string{"sender", "type"}

func TestNothingIsLost(t *testing.T) {
	for name, export := range map[string]string{
		"every block": everyBlock, "old chain": oldChain, "artifact": artifactTalk, "design": designChat,
	} {
		t.Run(name, func(t *testing.T) {
			r := Read(t, claude.Importer{}, Loose("x.json", export).Tree(t))
			CheckMembers(t, []byte(strings.ReplaceAll(export, root, "")), r, translated...)
		})
	}
	t.Run("memories", func(t *testing.T) {
		r := Read(t, claude.Importer{}, Loose("x.json", memoryFiles).Tree(t))
		all := strings.Join(r.Contents(), "\n")
		for _, said := range []string{"Repairs old clocks", "since 2011", "Speaks Norwegian", "Kari likes skiing", "Still read", "A page for the workshop", "Uses a camera"} {
			if !strings.Contains(all, said) {
				t.Errorf("%q is no memory", said)
			}
		}
	})
}

// What the platform put into a person's message is not what they typed.
func TestCase33InjectedPromptIsNeverShown(t *testing.T) {
	r, c := talk(t, `{"uuid":"a","sender":"human","text":"MEMORY SNAPSHOT\n\nHi","content":[{"type":"injected_prompt_block","prompt":"MEMORY SNAPSHOT","injection_source":"memory_block_head"},{"type":"text","text":"Hi"}]},
		{"uuid":"b","sender":"human","text":"DATE NOTE","content":[{"type":"injected_prompt_block","prompt":"DATE NOTE","injection_source":"date_note"}]}`)
	for _, m := range c.Messages {
		if strings.Contains(m.Content.PlainText(), "MEMORY") || strings.Contains(m.Content.PlainText(), "DATE") {
			t.Errorf("%s shows %q", m.ID, m.Content.PlainText())
		}
	}
	if !strings.Contains(string(c.Message("a").RawMetadata["content"]), "MEMORY SNAPSHOT") || r.Skipped["hidden-context"] != 2 || len(r.Memories) != 0 {
		t.Errorf("kept %s, skipped %v, memories %v", c.Message("a").RawMetadata["content"], r.Skipped, r.Memories)
	}
}

// TestCase30TextIsTheLastResort: the lossy text is shown only where there is no
// content, without the placeholder; a message of an attachment alone stays.
func TestCase30TextIsTheLastResort(t *testing.T) {
	const fence = "```\\n" + "This block is not supported on your current device yet." + "\\n```"
	for members, want := range map[string]string{
		`"text":"Only here","content":[]`: "Only here",
		`"text":"A thought.` + fence + `Told","content":[{"type":"thinking","thinking":"A thought."},{"type":"text","text":"Told"}]`: "A thought.|Told",
		`"text":"Before` + fence + `after","content":[]`:                                          "Beforeafter",
		`"text":"` + fence + `","content":[]`:                                                     "",
		`"text":"","content":[{"type":"text","text":"Told"}]`:                                     "Told",
		`"text":"","content":[],"attachments":[{"file_name":"a.txt","extracted_content":"body"}]`: "body",
	} {
		_, c := talk(t, `{"uuid":"m","sender":"assistant",`+members+`}`)
		var all []string
		for _, m := range c.Messages {
			all = append(all, m.Content.PlainText())
		}
		if got := strings.Join(all, "|"); got != want {
			t.Errorf("%s: %q, want %q", members, got, want)
		}
	}
}

func TestCase30AttachmentsAreTakenOnce(t *testing.T) {
	r, c := talk(t, `{"uuid":"a","sender":"human","text":"","content":[],"attachments":[{"file_name":"x.txt","extracted_content":"one"},{"file_name":"x.txt","extracted_content":"two"},{"file_name":"scan.png","extracted_content":""}],
		"files":[{"file_uuid":"1","file_name":"x.txt"},{"file_uuid":"2","file_name":"x.txt"},{"file_uuid":"3","file_name":"x.txt"},{"file_uuid":"4","file_name":null}]}`)
	got := c.Messages[0].Attachments
	if len(got) != 5 || len(r.Attachments) != 2 || fmt.Sprint(r.Missing) != "[scan.png x.txt 4]" {
		t.Fatalf("%d attachments, %d stored, missing %v: %+v", len(got), len(r.Attachments), r.Missing, got)
	}
	if got[0].ProviderID != "1" || got[1].ProviderID != "2" || got[0].Ref == got[1].Ref || got[2].Type != "image" || got[3].Ref != "" {
		t.Errorf("%+v", got)
	}
}

func TestCase20TitlesAndTimesAsTheyCome(t *testing.T) {
	long := strings.Repeat("x", 300)
	for raw, want := range map[string]string{`null`: "", `""`: "", `" a\nb\t/ c: "`: "a b / c:", `"` + long + `"`: long, `5`: ""} {
		export := `[{"uuid":"c","name":` + raw + `,"created_at":null,"chat_messages":[{"uuid":"m","sender":"human","text":"x","created_at":"1970-01-01T00:00:00Z"},{"uuid":"n","sender":"human","text":"y","created_at":"2026-05-01T10:00:00.123456789+02:00"}]}]`
		c := Read(t, claude.Importer{}, Loose("c.json", export).Tree(t)).Conversations[0]
		if c.Title != want || c.TimeSource != "message" || c.Temporal.CreatedAt.String() != "2026-05-01T08:00:00.123456Z" {
			t.Errorf("%s: %q, %s from %q", raw, c.Title, c.Temporal.CreatedAt, c.TimeSource)
		}
		if !c.Messages[0].CreatedAt.IsZero() {
			t.Errorf("1970 is no time: %s", c.Messages[0].CreatedAt)
		}
	}
	unknown := Read(t, claude.Importer{}, Loose("c.json", `[{"uuid":"c","chat_messages":[{"uuid":"m","sender":"human","text":"x"}]}]`).Tree(t)).Conversations[0]
	if unknown.TimeSource != "none" || !unknown.Temporal.CreatedAt.IsZero() {
		t.Errorf("%+v from %q", unknown.Temporal, unknown.TimeSource)
	}
}

func TestCase41DamagedTextIsMended(t *testing.T) {
	export := "\xEF\xBB\xBF" + `[{"uuid":"c","name":"t","chat_messages":[{"uuid":"m","sender":"human","text":"a` + "\xff" + `b \ud83d c\u0000d","created_at":"2026-05-01T10:00:00Z"}]}]`
	r := Read(t, claude.Importer{}, Loose("c.json", export).Tree(t))
	if got := r.Conversations[0].Messages[0].Content.Text; got != "a\uFFFDb \uFFFD c\x00d" {
		t.Errorf("%q", got)
	}
	if len(r.Problems) != 1 || r.Problems[0].Reason != "text-mended" || !strings.HasPrefix(r.Problems[0].Message, "2 ") {
		t.Errorf("%+v", r.Problems)
	}
}

func TestOneBadConversationDoesNotStopTheOthers(t *testing.T) {
	good := `{"uuid":"%s","chat_messages":[` + said("m", root, "human", "x") + `]}`
	export := "[" + fmt.Sprintf(good, "1") + `,{"uuid":tru},` + strings.Repeat("[", 200) + strings.Repeat("]", 200) + `,"words",` + fmt.Sprintf(good, "2") + `,{"uuid":"3","chat_messages":[]}]`
	r := Read(t, claude.Importer{}, Loose("c.json", export).Tree(t))
	var reasons []string
	for _, p := range r.Problems {
		reasons = append(reasons, p.At+" "+p.Reason)
	}
	if len(r.Conversations) != 2 || fmt.Sprint(reasons) != "[item 2 item-not-json item 3 item-too-deep item 4 claude-not-a-conversation]" || r.Skipped["empty"] != 1 {
		t.Errorf("%d conversations, %v, skipped %v", len(r.Conversations), reasons, r.Skipped)
	}
}

// Of copies in several batches the richer wins, then the newer.
func TestCase27BatchesRepeatConversations(t *testing.T) {
	copies := func(updated string, texts ...string) string {
		var list []string
		for i, text := range texts {
			list = append(list, said(fmt.Sprint(i), "-", "human", text))
		}
		return `[{"uuid":"c","updated_at":"` + updated + `","chat_messages":[` + strings.Join(list, ",") + `]}]`
	}
	for name, c := range map[string]struct{ one, two, want string }{
		"richer, though older": {copies("2026-05-01T00:00:00Z", "a", "b"), copies("2026-06-01T00:00:00Z", "c"), "a"},
		"newer":                {copies("2026-05-01T00:00:00Z", "a"), copies("2026-06-01T00:00:00Z", "b"), "b"},
		"the same":             {copies("2026-05-01T00:00:00Z", "a"), copies("2026-05-01T00:00:00Z", "a"), "a"},
	} {
		for _, order := range [][]string{{c.one, c.two}, {c.two, c.one}} {
			f := Fixture{Name: name}
			for i, data := range order {
				f.Files = append(f.Files, gen.File{Name: fmt.Sprintf("batch-%04d.zip", i), Data: gen.Zip([]gen.File{{Name: "conversations.json", Data: []byte(data)}})})
			}
			r := Read(t, claude.Importer{}, f.Tree(t))
			if len(r.Conversations) != 1 || r.Skipped["duplicate"] != 1 || r.Conversations[0].Messages[0].Content.Text != c.want {
				t.Errorf("%s: %d conversations, skipped %v: %+v", name, len(r.Conversations), r.Skipped, r.Conversations)
			}
		}
	}
}

// A part without users.json is still Claude's, not ChatGPT's.
func TestCase26PartsAloneAreRecognised(t *testing.T) {
	files, _ := gen.ClaudeZips(gen.Parts, gen.ClaudeOptions{Seed: 1, Conversations: 2})
	for _, f := range files {
		m, err := claude.Importer{}.Sniff(t.Context(), Fixture{Files: []gen.File{f}}.Tree(t))
		if err != nil || m.Certainty != importer.Certain {
			t.Errorf("%s: %+v, %v", f.Name, m, err)
		}
		advice := ""
		if m.Advice != nil {
			advice = m.Advice.Reason
		}
		want := map[string]string{"light_": "claude-account-only", "manife": "claude-manifest"}[f.Name[:6]]
		if advice != want {
			t.Errorf("%s: advice %q, want %q", f.Name, advice, want)
		}
	}
}

func TestCase26TheManifestNamesWhatIsMissingAndNeverALink(t *testing.T) {
	files, _ := gen.ClaudeZips(gen.Parts, gen.ClaudeOptions{Seed: 1, Conversations: 2})
	alone := Fixture{Files: files[len(files)-1:]}
	m, err := claude.Importer{}.Sniff(t.Context(), alone.Tree(t))
	if err != nil || m.Format != "manifest" || len(m.Missing) != 4 || m.Advice == nil || m.Advice.Code != fault.Invalid {
		t.Fatalf("%+v, %v", m, err)
	}
	if text := m.Advice.Message(); !strings.Contains(text, "is not data") || !strings.Contains(text, "conversations-000.zip") {
		t.Errorf("advice: %s", text)
	}
	some := Fixture{Files: []gen.File{files[1], files[4]}}
	some.Files[0].Name = "conversations-000 (1).zip" // a second download
	m, err = claude.Importer{}.Sniff(t.Context(), some.Tree(t))
	if err != nil || m.Advice != nil || fmt.Sprint(m.Missing) != "[light_metadata-000.zip projects-000.zip memories-000.zip]" {
		t.Errorf("%+v, %v", m, err)
	}
	r := Read(t, claude.Importer{}, some.Tree(t))
	if everything := fmt.Sprintf("%+v %+v %+v", m, m.Advice, r); strings.Contains(everything, gen.ExportSecret) || strings.Contains(everything, "example.org/") {
		t.Error("a link of the manifest was kept or shown")
	}
	lie := strings.Replace(string(files[4].Data), "conversations-000.zip", "https://example.org/"+gen.ExportSecret, 1)
	m, err = claude.Importer{}.Sniff(t.Context(), Loose("manifest.json", lie).Tree(t))
	if err != nil || strings.Contains(fmt.Sprintf("%+v %s", m, m.Advice), gen.ExportSecret) {
		t.Errorf("a link in place of a name was shown: %+v, %v", m, err)
	}
}

func TestExportsWithNothingToRead(t *testing.T) {
	for reason, entries := range map[string]map[string]string{
		"claude-empty":        {"conversations.json": "[]", "projects.json": "[]", "users.json": usersJSON},
		"claude-frames-only":  {"artifacts/a1/artifact.json": artifactJSON, "artifacts/a1/page.md": "# x"},
		"claude-account-only": {"users.json": usersJSON, "login_history.json": `[{"account_uuid":"acc-1","ip":"192.0.2.1"}]`},
		"claude-parts-inside": {"manifest.json": `{"version":"1.0","data_files":[{"filename":"conversations-000.zip","export_url":"https://example.org/x"}]}`, "conversations-000.zip": "PK"},
	} {
		m, err := claude.Importer{}.Sniff(t.Context(), zipped(reason, entries).Tree(t))
		if err != nil || m.Certainty != importer.Certain || m.Advice == nil || m.Advice.Reason != reason || m.Advice.Advice() == "" {
			t.Errorf("%s: %+v, %v", reason, m, err)
		}
	}
}

// An artifact may lie in two frames parts.
func TestCase27ArtifactSplitOverTwoParts(t *testing.T) {
	part := func(name string, entries map[string]string) gen.File {
		return gen.File{Name: name, Data: zipped(name, entries).Files[0].Data}
	}
	f := Fixture{Files: []gen.File{
		part("conversations-000.zip", map[string]string{"conversations.json": artifactTalk}),
		part("frames-000.zip", map[string]string{"artifacts/a1/artifact.json": artifactJSON, "artifacts/a1/page.md": "# page"}),
		part("frames-001.zip", map[string]string{"artifacts/a1/versions/v1.html": "<p>", "artifacts/a1/page.md": "# page"}),
	}}
	r := Read(t, claude.Importer{}, f.Tree(t))
	var names []string
	for _, a := range r.Conversations[0].Messages[0].Attachments {
		names = append(names, a.Name)
	}
	if fmt.Sprint(names) != "[artifact.json page.md v1.html]" {
		t.Errorf("attached %v", names)
	}
	without := Read(t, claude.Importer{}, Fixture{Files: f.Files[:1]}.Tree(t))
	if without.Conversations[0].Sum == r.Conversations[0].Sum {
		t.Error("frames that come later would never be read")
	}
}

// Hundreds of people: names null or the same, and some who left.
func TestCase32OrganisationExports(t *testing.T) {
	var talks []string
	for i := range 4 {
		talks = append(talks, fmt.Sprintf(`{"uuid":"c%d","account":{"uuid":"acc-%d"},"chat_messages":[%s]}`, i, i, said("m", root, "human", "x")))
	}
	users := `[{"uuid":"acc-0","full_name":"Kim","email_address":"a@example.org"},{"uuid":"acc-1","full_name":"Kim","email_address":"b@example.org"},{"uuid":"acc-2","full_name":null,"email_address":"c@example.org"}]`
	f := zipped("org", map[string]string{
		"conversations.json": "[" + strings.Join(talks, ",") + "]", "users.json": users,
		"memories/acc-0.json": `{"account_uuid":"acc-0","conversations_memory":"Likes tea."}`, "memories/acc-3.json": `{"account_uuid":"acc-3","conversations_memory":"Likes tea."}`,
	})
	m, err := claude.Importer{}.Sniff(t.Context(), f.Tree(t))
	if err != nil || !slices.Contains(m.Accounts, "acc-0") || !slices.Contains(m.Accounts, "acc-3") {
		t.Errorf("%+v, %v", m, err)
	}
	r := Read(t, claude.Importer{}, f.Tree(t))
	for i, want := range []string{"Kim", "Kim", "", ""} {
		c := r.Conversation(fmt.Sprintf("c%d", i))
		if c.Participants[0].Name != want || c.Provider.AccountID != fmt.Sprintf("acc-%d", i) {
			t.Errorf("c%d: %+v", i, c.Participants)
		}
	}
	if len(r.Memories) != 2 || r.Memories[0].PlatformUserID != "acc-0" || r.Memories[1].PlatformUserID != "acc-3" {
		t.Errorf("the same words of two people are two statements: %+v", r.Memories)
	}
	if leaked := fmt.Sprintf("%+v", r); strings.Contains(leaked, "@example.org") {
		t.Error("an e-mail address was kept")
	}
}

func TestCase31MemoriesInEveryShape(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"array":             {`[{"conversations_memory":"**Work context**\nRepairs clocks.\n\nTeaches, too.\n\n**Personal context**\n- Sings\n- Skis","account_uuid":"a"}]`, "Repairs clocks.|Teaches, too.|Sings|Skis"},
		"object":            {`{"account_uuid":"a","conversations_memory":"# Brief history\n*Recent months*\nBought a lathe."}`, "Bought a lathe."},
		"no account":        {`{"conversations_memory":"One line"}`, "One line"},
		"only projects":     {`{"account_uuid":"a","project_memories":{"p":"**Current state**\nHalf done"}}`, "Half done"},
		"only files":        {`{"account_uuid":"a","memory_files":[{"path":"/profile.md","content":"- [stated] Sings"}]}`, "Sings"},
		"empty values":      {`{"account_uuid":"a","conversations_memory":"","memory_files":[],"project_memories":{}}`, ""},
		"odd values":        {`{"account_uuid":5,"conversations_memory":7,"memory_files":{"a":1},"project_memories":[1]}`, ""},
		"no YAML":           {`{"account_uuid":"a","memory_files":[{"path":"/profile.md","content":"---\nname: Profile\ndescription: who: Sam, \"and: what\nsources: [backfill, chat\n---\n- [stated] Sings"}]}`, "Sings"},
		"files, then prose": {`{"account_uuid":"a","memory_files":[{"path":"/profile.md","content":"- [stated] Sings"}],"conversations_memory":"**Work**\nSings.\n\nSkis."}`, "Sings|**Work**\nSings.\n\nSkis."},
	} {
		r := Read(t, claude.Importer{}, Loose("m.json", c.text).Tree(t))
		if got := strings.Join(r.Contents(), "|"); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

func TestProjectsSpeakForThePerson(t *testing.T) {
	f := zipped("projects", map[string]string{
		"projects.json": `[{"uuid":"p1","name":"Clocks","description":"All about clocks","is_private":true,"is_starter_project":false,"prompt_template":"Be brief.","created_at":"2026-05-01T10:00:00.000000+00:00","updated_at":"2026-05-02T10:00:00+00:00","creator":{"uuid":"acc-1","full_name":"Sam"},
			"docs":[{"uuid":"d","filename":"brief.md","content":"# Brief","created_at":"2026-05-01T10:00:00+00:00"},{"uuid":"e","filename":"gone.pdf","content":""}]},
			{"uuid":"p2","name":"How to use Claude","is_starter_project":true,"prompt_template":"x","docs":[]},{"uuid":"p3","name":"Nothing","prompt_template":"","description":"","docs":[]}]`,
		"projects/p1.json": `{"uuid":"p1","name":"Old clocks","is_starter_project":false,"prompt_template":"Be long.","updated_at":"2026-04-02T10:00:00+00:00","docs":[]}`,
	})
	r := Read(t, claude.Importer{}, f.Tree(t))
	if len(r.Memories) != 1 || len(r.Conversations) != 1 || r.Skipped["starter-project"] != 1 || r.Skipped["empty-project"] != 1 || r.Skipped["duplicate"] != 1 {
		t.Fatalf("%d memories, %d conversations, skipped %v", len(r.Memories), len(r.Conversations), r.Skipped)
	}
	m, c := r.Memories[0], r.Conversations[0]
	if m.Content != "Be brief." || m.Type != memory.Instruction || m.Method != memory.ExplicitUserInput || m.Metadata["project"] != "Clocks" ||
		m.ConversationID != c.ID || m.MessageID != "p1" || fmt.Sprint(m.Tags) != "[clocks]" || m.CreatedAt.String() != "2026-05-01T10:00:00Z" {
		t.Errorf("%+v", m)
	}
	if c.Title != "Clocks" || c.SystemInstruction != "Be brief." || c.Messages[0].Content.Text != "All about clocks" || len(c.Messages[0].Attachments) != 2 || fmt.Sprint(r.Missing) != "[gone.pdf]" {
		t.Errorf("%+v", c)
	}
}

func TestCase07TenThousandMessagesInARow(t *testing.T) {
	var list []string
	for i := range 10_000 {
		parent := fmt.Sprint("m", i-1)
		if i == 0 {
			parent = root
		}
		list = append(list, said(fmt.Sprint("m", i), parent, "human", "x"))
	}
	_, c := talk(t, strings.Join(list, ","))
	c.Conversation.Leaf = c.Leaf
	if n := len(c.ActivePath()); n != 10_000 {
		t.Errorf("%d messages on the path", n)
	}
}

// TestForeignF09TextBesideEmptyBlocks: where no block gives text, what stands beside the
// blocks is shown: but for what is a thought, and what the platform said.
func TestForeignF09TextBesideEmptyBlocks(t *testing.T) {
	for members, want := range map[string]string{
		`"text":"Told","content":[{"type":"text","text":null}]`:                                                "Told",
		`"text":"Told","content":[{"type":"hologram","x":1}]`:                                                  "Told",
		`"text":"Told","content":[{"type":"thinking","thinking":"Hm."},{"type":"hologram"}]`:                   "Hm.|Told",
		`"text":"Hm. Told","content":[{"type":"thinking","thinking":"Hm."},{"type":"text","text":""}]`:         "Hm.| Told",
		`"text":"Hm.","content":[{"type":"thinking","thinking":"Hm."}]`:                                        "Hm.",
		`"text":"NOTE\n\nHi","content":[{"type":"injected_prompt_block","prompt":"NOTE"},{"type":"hologram"}]`: "\n\nHi",
		`"text":"Called","content":[{"type":"tool_use","id":"t","name":"f","input":{}}]`:                       "|Called",
		`"text":"Other words","content":[{"type":"text","text":"Told"}]`:                                       "Told",
	} {
		_, c := talk(t, `{"uuid":"m","sender":"assistant",`+members+`}`)
		var all []string
		for _, m := range c.Messages {
			all = append(all, m.Content.PlainText())
		}
		if got := strings.Join(all, "|"); got != want {
			t.Errorf("%s: %q, want %q", members, got, want)
		}
	}
}

// TestThoughtsInTextAreThoughts: answers of 2024 hold thoughts between tags, which the site
// never showed.
func TestThoughtsInTextAreThoughts(t *testing.T) {
	const said = `Certainly! <antThinking>A page is best.</antThinking>\n\n<antArtifact identifier=\"p\" type=\"text/markdown\">Tea</antArtifact>Done.`
	for _, members := range []string{`"text":"","content":[{"type":"text","text":"` + said + `"}]`, `"text":"` + said + `","content":[]`} {
		_, c := talk(t, `{"uuid":"m","sender":"assistant",`+members+`}`)
		if len(c.Messages) != 3 || c.Messages[0].Content.Text != "Certainly!" || !c.Messages[1].IsThought || c.Messages[1].Content.Text != "A page is best." ||
			c.Messages[2].ID != "m" || len(c.Messages[2].Content.Parts) != 2 || !strings.Contains(string(c.Messages[2].RawMetadata["content"])+string(c.Messages[2].RawMetadata["text"]), "antThinking") {
			t.Errorf("%s: %+v", members, c.Messages)
		}
	}
	for _, as := range []string{`"sender":"human","content":[{"type":"text","text":"What is <antThinking>x</antThinking>?"}]`,
		`"sender":"assistant","content":[{"type":"text","text":"The tag ` + "`<antThinking>x</antThinking>`" + ` is mine"}]`,
		`"sender":"assistant","content":[{"type":"text","text":"It begins with <antThinking> and goes on"}]`} {
		_, c := talk(t, `{"uuid":"m",`+as+`}`)
		if len(c.Messages) != 1 || !strings.Contains(c.Messages[0].Content.Text, "<antThinking>") {
			t.Errorf("%s: %+v", as, c.Messages)
		}
	}
}
