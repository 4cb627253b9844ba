package all_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"keepsake/backend/importer/all"
	. "keepsake/backend/importer/importertest"
	"keepsake/backend/importer/importertest/gen"
)

// leftOut is an export that holds an item that is none, and the same without it.
type leftOut struct {
	reader, reason string
	broken, whole  Fixture
}

// leftOutOf is a file of text in which ◆ stands where the bad item does.
func leftOutOf(reader, reason, name, text, bad string) leftOut {
	return leftOut{reader, reason, Loose(name, strings.Replace(text, "◆", bad, 1)), Loose(name, strings.Replace(text, "◆", "", 1))}
}

// sheetOf is a workbook of Perplexity with these rows.
func sheetOf(rows ...[]string) Fixture {
	rows = slices.Insert(rows, 0, []string{"UUID", "CREATED", "TITLE", "OUTPUT_STR"})
	return Fixture{Files: []gen.File{{Name: "p.xlsx", Data: gen.Workbook([]string{"Conversations"}, [][][]string{rows})}}}
}

// TestABadItemIsLeftOutAlone holds what the faults of items say: that it was left out.
// Everything else is read as if it had not been there.
func TestABadItemIsLeftOutAlone(t *testing.T) {
	one, two := []string{"a", "2026-05-01T11:00:00Z", "First", "1"}, []string{"b", "2026-05-02T11:00:00Z", "Second", "2"}
	for _, c := range []leftOut{
		leftOutOf("openmemory", "openmemory-not-a-memory", "memories.json", `{"user":{"user_id":"robin"},"memories":[{"id":"a","content":"Likes tea","state":"active"},◆{"id":"b","content":"Has a dog","state":"active"}]}`, `"words",`),
		leftOutOf("grok", "grok-not-a-conversation", "backend.json", `{"conversations":[`+grokTalk("a")+`,◆`+grokTalk("b")+`]}`, `{"conversation":{"title":"Nobody's"},"responses":[{"response":{"message":"x"}}]},`),
		leftOutOf("grok", "grok-not-a-message", "grok-chat-item.js", `window.YTD.grok_chat_item.part0 = [`+xItem("1")+`,◆`+xItem("2")+`]`, `{"grokChatItem":{"message":"lost"}},`),
		leftOutOf("mcp-memory", "mcp-not-a-graph", "a.json", `{"content":[{"type":"text","text":"{\"entities\":[{\"name\":\"Pat\",\"entityType\":\"person\",\"observations\":[\"Keeps four hives\"]}],\"relations\":[]}"}◆]}`, `,{"type":"text","text":"{\"entities\":[{"}`),
		leftOutOf("mcp-memory", "mcp-not-a-record", "memory.jsonl", `{"type":"entity","name":"Pat","entityType":"person","observations":["Keeps four hives"]}`+"\n◆"+`{"type":"entity","name":"Kim","entityType":"person","observations":["Sings"]}`+"\n", `{"name":"Lee"}`+"\n"),
		leftOutOf("librechat", "librechat-not-a-conversation", "chats.json", `[{"conversationId":"a","messages":[{"messageId":"m","text":"x"}]},◆{"conversationId":"b","messages":[{"messageId":"n","text":"y"}]}]`, `"words",`),
		{"perplexity", "perplexity-no-id", sheetOf(one, []string{"", "2026-05-01T12:00:00Z", "Nobody's", "3"}, two), sheetOf(one, two)},
		leftOutOf("perplexity", "perplexity-not-a-thread", "perplexity_export.json", `{"metadata":{"version":1},"conversations":[{"uuid":"a","query":"A?","answer":"B.","sources":[]},◆{"uuid":"b","query":"C?","answer":"D.","sources":[]}]}`, `{"answer":"E."},`),
		leftOutOf("zep", "zep-not-an-item", "edges.json", `[{"uuid":"a","fact":"Likes tea"},◆{"uuid":"b","fact":"Has a dog"}]`, `"words",`),
		leftOutOf("jan", "jan-not-a-message", "messages.jsonl", janLine("a")+"\n◆"+janLine("b")+"\n", `"words"`+"\n"),
		leftOutOf("jan", "line-not-json", "messages.jsonl", janLine("a")+"\n◆"+janLine("b")+"\n", `{"id":"c","role"`+"\n"),
		leftOutOf("opencode", "opencode-not-a-session", "sessions.json", `[`+openCodeTalk("a")+`,◆`+openCodeTalk("b")+`]`, `{"messages":[{"info":{"id":"msg_c"}}]},`),
		leftOutOf("cline", "cline-not-a-message", "ui_messages.json", `[{"ts":1763727100000,"type":"say","say":"task","text":"Mend it"},◆{"ts":1763727105000,"type":"say","say":"text","text":"Done."}]`, `"words",`),
		leftOutOf("cherry-studio", "cherry-studio-not-a-topic", "topics.json", `[`+cherryTopic("a")+`,◆`+cherryTopic("b")+`]`, `"words",`),
		leftOutOf("chatbox", "chatbox-not-a-session", "chats.json", `{"chat-sessions":[{"id":"a","messages":[{"id":"m","role":"user","content":"x"}]},◆{"id":"b","messages":[{"id":"n","role":"user","content":"y"}]}]}`, `"words",`),
		leftOutOf("sillytavern", "sillytavern-not-a-message", "chat.jsonl", `{"name":"Pat","is_user":true,"mes":"Hi"}`+"\n◆"+`{"name":"Alice","is_user":false,"mes":"Hello"}`+"\n", `"words"`+"\n"),
		leftOutOf("llama-cpp", "llama-cpp-not-a-message", "c.jsonl", llamaLine("a")+"\n◆"+llamaLine("b")+"\n", `{"words":1}`+"\n"),
		leftOutOf("llama-cpp", "llama-cpp-not-a-conversation", "c.json", `[{"conv":{"id":"a","currNode":"m"},"messages":[{"convId":"a","id":"m","role":"user","content":"x"}]},◆{"conv":{"id":"b"},"messages":[{"id":"n","role":"user","content":"y"}]}]`, `"words",`),
		leftOutOf("typingmind", "typingmind-not-a-chat", "chats.json", `{"data":{"chats":[{"chatID":"a","messages":[{"role":"user","content":"x"}]},◆{"chatID":"b","messages":[{"role":"user","content":"y"}]}]}}`, `"words",`),
		leftOutOf("gemini", "gemini-not-a-record", "MyActivity.json", `[`+geminiRow("2026-05-02", "B")+`,◆`+geminiRow("2026-05-01", "A")+`]`, `"words",`),
		leftOutOf("gemini", "item-too-large", "MyActivity.html", "<html><body>"+geminiCell("May 2, 2026", "B")+"◆"+geminiCell("May 1, 2026", "A")+"</body></html>", geminiCell("May 3, 2026", strings.Repeat("<p>word after word</p>", 900_000))),
		leftOutOf("claude", "claude-not-a-project", "projects.json", `[{"uuid":"a","name":"Garden","prompt_template":"Be brief.","docs":[]},◆{"uuid":"b","name":"Boats","prompt_template":"Be kind.","docs":[]}]`, `"words",`),
		leftOutOf("claude", "claude-not-memories", "memories.json", `[{"account_uuid":"u","conversations_memory":"Likes tea."},◆{"account_uuid":"v","conversations_memory":"Has a dog."}]`, `5,`),
		leftOutOf("letta", "letta-not-an-agent", "agents.json", `[`+lettaAgent("Likes tea.")+`,◆`+lettaAgent("Has a dog.")+`]`, `"words",`),
		leftOutOf("mem0", "mem0-not-a-memory", "memories.json", `[{"id":"a","memory":"Likes tea","user_id":"robin"},◆{"id":"b","memory":"Has a dog","user_id":"robin"}]`, `"words",`),
		leftOutOf("open-webui", "webui-not-a-chat", "chat-export.json", `[`+webuiChat("a")+`,◆`+webuiChat("b")+`]`, `{"id":"c","chat":5},`),
		leftOutOf("copilot", "csv-short-row", "history.csv", "Conversation,Time,Author,Message\r\nTea,2026-07-26T10:01:00,AI,Two\r\n◆Tea,2026-07-26T10:00:00,Human,One\r\n", "Tea\r\n"),
		leftOutOf("deepseek", "deepseek-not-a-conversation", "conversations.json", `[`+deepSeekTalk("a")+`,◆`+deepSeekTalk("b")+`]`, `{"title":"Nobody's"},`),
		leftOutOf("mif", "mif-no-memory", "a.mif.json", mifWith("◆", ""), `{"id":"mem_5","content":"","created_at":"2026-01-01T00:00:00Z"},`),
		leftOutOf("mif", "mif-no-time", "a.mif.json", mifWith("◆", ""), `{"id":"mem_5","content":"Once","created_at":"soon"},`),
		leftOutOf("mif", "mif-no-todo", "a.mif.json", mifWith("", "◆"), `{"id":"todo_5","content":"","created_at":"2026-01-01T00:00:00Z"},`),
		leftOutOf("mif", "mif-todo-no-time", "a.mif.json", mifWith("", "◆"), `{"id":"todo_5","content":"Once","created_at":"soon"},`),
	} {
		t.Run(c.reason, func(t *testing.T) {
			im, known := all.Importers().ByID(c.reader)
			if !known {
				t.Fatalf("there is no reader %s", c.reader)
			}
			broken, whole := Read(t, im, c.broken.Tree(t)), Read(t, im, c.whole.Tree(t))
			if len(whole.Problems) > 0 || len(whole.Conversations)+len(whole.Contents())+len(whole.Todos) == 0 {
				t.Fatalf("without it: %+v", whole)
			}
			if len(broken.Problems) != 1 || broken.Problems[0].Reason != c.reason {
				t.Errorf("problems %+v", broken.Problems)
			}
			if diff := cmp.Diff(told(whole), told(broken)); diff != "" {
				t.Errorf("it is read otherwise (-without +with):\n%s", diff)
			}
		})
	}
}

// told is what was read, without where it stood.
func told(r *Recording) (all []string) {
	for _, c := range r.Conversations {
		all = append(all, "conversation "+c.Provider.ConversationID+" "+c.Title)
		for _, m := range c.Messages {
			all = append(all, string(m.Role)+": "+m.Content.PlainText())
		}
	}
	for _, task := range r.Todos {
		all = append(all, "task "+task.ID+" "+task.Content)
	}
	return append(all, r.Contents()...)
}

func grokTalk(id string) string {
	return `{"conversation":{"id":"` + id + `","title":"T","create_time":"2026-05-01T10:00:00Z"},"responses":[{"response":{"_id":"m` + id + `","sender":"human","message":"Says ` + id + `","create_time":"2026-05-01T10:00:00Z"}}]}`
}

func xItem(chat string) string {
	return `{"grokChatItem":{"chatId":"` + chat + `","accountId":"9","createdAt":"2026-05-01T10:00:00.000Z","sender":{"value":1,"name":"User"},"message":"Says ` + chat + `"}}`
}

func janLine(id string) string {
	return `{"id":"` + id + `","object":"thread.message","thread_id":"t","role":"user","content":[{"type":"text","text":{"value":"Says ` + id + `"}}],"created_at":1744577557}`
}

func openCodeTalk(id string) string {
	return `{"info":{"id":"ses_` + id + `"},"messages":[{"info":{"id":"msg_` + id + `","role":"user"},"parts":[{"type":"text","text":"Says ` + id + `"}]}]}`
}

func cherryTopic(id string) string {
	return `{"kind":"cherry-studio.topic","topic":{"name":"T"},"messages":[{"sourceId":"` + id + `","role":"user","parts":[{"type":"text","text":"Says ` + id + `"}]}]}`
}

func llamaLine(id string) string {
	return `{"type":"message","message":{"convId":"c","id":"` + id + `","role":"user","content":"Says ` + id + `"}}`
}

func geminiRow(day, asked string) string {
	return `{"header":"Gemini Apps","products":["Gemini Apps"],"title":"Prompted ` + asked + `","time":"` + day + `T10:00:00.000Z","safeHtmlItem":[{"html":"<p>Told.</p>"}]}`
}

func lettaAgent(human string) string {
	return `{"agent_type":"memgpt_agent","name":"A","core_memory":[{"label":"human","value":"` + human + `"}],"messages":[]}`
}

func webuiChat(id string) string {
	return `{"id":"` + id + `","title":"T","chat":{"history":{"currentId":"m","messages":{"m":{"id":"m","parentId":null,"childrenIds":[],"role":"user","content":"Says ` + id + `","timestamp":1744577557}}},"messages":[]}}`
}

func deepSeekTalk(id string) string {
	return `{"id":"` + id + `","title":"T","inserted_at":"2026-05-01T10:00:00Z","mapping":{"1":{"id":"1","message":{"inserted_at":"2026-05-01T10:00:00Z","fragments":[{"type":"REQUEST","content":"Says ` + id + `"}]}}}}`
}

// mifWith is a document with two memories and two tasks; what is put between them is in
// front of the second.
func mifWith(memory, task string) string {
	return `{"mif_version":"1.0","generator":"x","export":{"id":"e","created_at":"2026-01-01T00:00:00Z","user_id":"u"},"memories":[` +
		mifMemory("1") + `,` + memory + mifMemory("2") + `],"todos":[` + mifTask("3") + `,` + task + mifTask("4") + `],"graph":{"nodes":[],"edges":[]},"metadata":{}}`
}

func mifMemory(id string) string {
	return `{"id":"mem_` + id + `","content":"Remembers ` + id + `","type":"Learning","created_at":"2026-01-01T00:00:00Z"}`
}

func mifTask(id string) string {
	return `{"id":"todo_` + id + `","content":"Does ` + id + `","status":"todo","priority":"low","created_at":"2026-01-01T00:00:00Z"}`
}

func geminiCell(day, asked string) string {
	return `<div class="outer-cell mdl-cell"><div class="header-cell"><p class="mdl-typography--title">Gemini Apps<br></p></div>` +
		`<div class="content-cell mdl-typography--body-1">Prompted&nbsp;` + asked + `<br>` + day + `, 9:00:00 AM UTC<br><p>Told.</p></div></div>`
}
