package core_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"keepsake/backend/core"
)

// lets allows an agent that has just asked for the first time to read a circle.
func (k *kit) lets(name, circle string, change func(*core.AgentGrant)) {
	k.t.Helper()
	k.meets(name)
	g := core.DefaultAgentGrant(circle)
	g.Memories, g.Bytes = 0, 0
	if change != nil {
		change(&g)
	}
	ok(k.AllowAgent(ctx, name, g))
}

// asJSON is an answer and its error as text.
func asJSON(answer any, err error) string { return fmt.Sprint(string(ok(json.Marshal(answer))), err) }

// inWork puts memories into the circle Work, and waits until they are found by words and meaning.
func (k *kit) inWork(contents ...string) []string {
	k.t.Helper()
	ids := k.adds(contents...)
	ok(k.JoinCircle(ctx, "work", ids, true))
	if err := k.WaitForIndex(ctx); err != nil {
		k.t.Fatal(err)
	}
	return ids
}

// TestHiddenWordsAreNotFoundByAgents: the answers of two vaults that differ in hidden words alone are
// the same, whatever is asked. An agent from which nothing is hidden finds those words.
func TestHiddenWordsAreNotFoundByAgents(t *testing.T) {
	asked := []string{
		"de8*", "de89370400440532013000", "DE89*", "robin.secret@example.org", "robin.secr*", `"account is DE89370400440532013000"`, `"robin secret"`, "4111111111111111", "email", "iban",
		"robin NOT de89*", "robin -robin.secret@example.org", "NOT 4111111111111111", "NOT nothing", "robin OR de89* OR 4111*", "account OR (mail NOT secret)", "NOT (robin NOT secret)",
		"tag:4111111111111111", "robin NOT tag:4111111111111111", "tag:bank", "robin NOT tag:bank",
		"what is the bank account of robin", "which card does robin pay with DE89370400440532013000",
	}
	var answers [2][]string
	for i, secret := range [][3]string{
		{"DE89370400440532013000", "robin.secret@example.org", "4111111111111111"}, {"GB29NWBK60161331926819", "ana@example.net", "5500005555555559"},
	} {
		k := comparing(t, "")
		ok(k.MakeCircle(ctx, core.Circle{Name: "Work"}))
		ids := k.inWork(fmt.Sprintf("Robin's bank account is %s and robin's mail is %s, card %s.", secret[0], secret[1], secret[2]), "Robin likes the account of a mail coach.", "Robin knows the boss.", "Robin's card is blue.")
		ok(k.EditMemory(ctx, ids[2], core.MemoryEdit{Tags: &[]string{secret[2], "bank"}}))
		k.means(text("robin"))
		k.lets("cursor", "work", nil)
		k.lets("trusted", "work", func(g *core.AgentGrant) { g.Unredacted = true })
		for _, q := range asked {
			answers[i] = append(answers[i], asJSON(k.AgentSearch(ctx, "cursor", core.AgentSearch{Text: q})), asJSON(k.AgentContext(ctx, "cursor", q, 400)))
		}
		for _, tags := range [][]string{{"4111111111111111"}, {"bank"}} {
			within := core.AgentScope{Tags: tags}
			answers[i] = append(answers[i], asJSON(k.AgentSearch(ctx, "cursor", core.AgentSearch{Text: "robin", Within: within})), asJSON(k.AgentMemories(ctx, "cursor", core.AgentListing{Within: within})))
		}
		finds := func(agent, q string) int {
			return len(ok(k.AgentSearch(ctx, agent, core.AgentSearch{Text: q})).Memories)
		}
		equal(t, 0, finds("cursor", secret[0]))
		equal(t, 1, finds("trusted", secret[0]))
		equal(t, 1, finds("trusted", "tag:"+secret[2]))
		equal(t, 1, finds("cursor", `"bank account is"`))
		equal(t, 4, finds("cursor", "robin"))
		equal(t, 2, finds("cursor", "robin NOT bank")) // one has it in its text, one as a tag
		equal(t, 0, finds("cursor", "tag:bank"))       // beside a tag that is hidden
	}
	for n := range answers[0] {
		equal(t, answers[0][n], answers[1][n])
	}
}

// serverKey is a private key, of which no line may be told.
const serverKey = "-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj\nMzEfYyjiWA4R4/M2bS1GB4t7NXp98C3SC6dVMvDuictGeurT8jNbvJZHtCSuYEvu\nNMoSfm76oqFvAp8Gy0iz5sxjZmSnXyCdPEovGhLa0VzMaQ8s+CLOyS56YyCFGeJZ\nqgtzJ6GR3eqoYSW9b9UMvkBpZODSctWSNGj3P7jRFDO5VoTwCQAWbFnOjDfH5Ulg\np2PKSQnSJP3AJLQNFNe7br1XbrhV//eO+t51mIpGSDCUv3E0DDFcWDTH9cXDTTlR\n-----END PRIVATE KEY-----"

// TestExcerptsHideWhatTheirMessageHides: no excerpt has a part of what is hidden in its message, and a
// message is not found by it.
func TestExcerptsHideWhatTheirMessageHides(t *testing.T) {
	k := provider(t)
	k.imports(k.chatGPTZip("c.zip", map[string][]turn{"Server": {{"user", "here is my key:\n" + serverKey + "\nuse it"}, {"assistant", "noted"}}}))
	succeeds(t, k.WaitForIndex(ctx))
	ok(k.MakeCircle(ctx, core.Circle{Name: "All"}))
	k.lets("cursor", "all", func(g *core.AgentGrant) { g.Conversations = core.AgentAllConversations })
	k.lets("trusted", "all", func(g *core.AgentGrant) { g.Conversations, g.Unredacted = core.AgentAllConversations, true })
	found := func(agent, q string) []core.AgentTalk {
		return ok(k.AgentConversations(ctx, agent, q, 0)).Conversations
	}
	hidden := "NMoSfm76oqFvAp8Gy0iz5sxjZmSnXyCdPEovGhLa0VzMaQ8s"
	equal(t, 1, len(found("trusted", hidden)))
	for _, q := range []string{hidden, "nmosf*", "BEGIN", `"PRIVATE KEY"`} {
		equal(t, 0, len(found("cursor", q)))
	}
	for _, q := range []string{"key", "use it", "my OR nmosf*", "here NOT nmosf*", "NOT noted"} {
		talks := found("cursor", q)
		if len(talks) == 0 {
			t.Errorf("%q finds nothing", q)
		}
		for _, talk := range talks {
			for line := range strings.SplitSeq(serverKey, "\n") {
				if strings.Contains(talk.Excerpt, line[len(line)-20:]) || strings.Contains(talk.Excerpt, line[:20]) {
					t.Errorf("%q: %s", q, talk.Excerpt)
				}
			}
		}
	}
	equal(t, "here is my key: [REDACTED:private_key] use it", found("cursor", "use it")[0].Excerpt)
}

// TestTitlesOnlyFindsNoMessages: whatever is asked, an agent that may read titles finds no word of a
// message.
func TestTitlesOnlyFindsNoMessages(t *testing.T) {
	k := provider(t)
	k.imports(k.chatGPTZip("c.zip", map[string][]turn{"Holiday plans": {{"user", "my friend is called Marmaduke"}, {"assistant", "noted"}}}))
	succeeds(t, k.WaitForIndex(ctx))
	ok(k.MakeCircle(ctx, core.Circle{Name: "All"}))
	k.lets("cursor", "all", func(g *core.AgentGrant) { g.Conversations = core.AgentConversationTitles })
	finds := func(q string) int { return len(ok(k.AgentConversations(ctx, "cursor", q, 0)).Conversations) }
	for _, q := range []string{"marmaduke", "marmaduke NOT", "marmaduke -(", "marmad* NOT", `"marmaduke`, "in:messages", "marmaduke in:messages OR"} {
		equal(t, 0, finds(q))
	}
	for _, q := range []string{"holiday", "holiday OR marmaduke", "marmaduke OR", "holiday NOT marmaduke"} {
		if n := finds(q); q == "marmaduke OR" && n > 0 || q != "marmaduke OR" && n != 1 {
			t.Errorf("%q finds %d", q, n)
		}
	}
}

// TestAgentAnswersDoNotDependOnOtherMemories: what an agent finds, its scores and what is left out of
// its context as said twice are the same after memories were added that it may not see.
func TestAgentAnswersDoNotDependOnOtherMemories(t *testing.T) {
	k := comparing(t, "")
	ok(k.MakeCircle(ctx, core.Circle{Name: "Work"}))
	k.inWork("Robin prefers black tea over coffee in the morning.", "Robin drinks green tea with jasmine.", "Robin works with teams in Porto.", "Robin likes trains and boats",
		"Works as a data engineer at a logistics company.", "Is employed by a logistics firm as an engineer.")
	k.lets("cursor", "work", nil)
	ask := func() (all []string) {
		k.means(text("anything"))
		for _, q := range []string{"tea", "te*", "black tea morning", "what does robin drink in the morning", "which hot beverage is liked", "in what city is the office", "profession of the user"} {
			all = append(all, asJSON(k.AgentSearch(ctx, "cursor", core.AgentSearch{Text: q, Limit: 50})), asJSON(k.AgentContext(ctx, "cursor", q, 300)))
		}
		return append(all, asJSON(k.AgentContext(ctx, "cursor", "", 300)))
	}
	before := ask()
	if all := strings.Join(before, "\n"); !strings.Contains(all, `"matched":"meaning"`) {
		t.Fatalf("nothing is found by its meaning: %s", all)
	}
	if last := before[len(before)-1]; strings.Count(last, "logistics") != 1 {
		t.Fatalf("what is said twice is told: %s", last)
	}
	var more []string
	for i := range 300 {
		more = append(more, fmt.Sprintf("Is a data engineer at the logistics company number %d", i))
	}
	k.adds(more...)
	for i, after := range ask() {
		equal(t, before[i], after)
	}
}

// TestTagsOfAgentAnswersAreHidden: a tag and a platform are texts like others.
func TestTagsOfAgentAnswersAreHidden(t *testing.T) {
	k := fresh(t)
	ok(k.MakeCircle(ctx, core.Circle{Name: "Work"}))
	id := k.inWork("Knows the boss.")[0]
	ok(k.EditMemory(ctx, id, core.MemoryEdit{Tags: &[]string{"4111111111111111", "bank"}}))
	k.lets("cursor", "work", nil)
	got := ok(k.AgentMemory(ctx, "cursor", id))
	equal(t, []string{"[REDACTED:credit_card]", "bank"}, got.Tags)
	equal(t, 1, got.Hidden)
	document := ok(k.AgentExport(ctx, "cursor", core.AgentExport{}))
	if document.Redacted != 1 || strings.Contains(document.Text, "4111111111111111") {
		t.Errorf("%+v", document)
	}
}

// TestControlCharactersAreShownToAgents: those that turn the direction of writing or act on a terminal
// are written out; line ends, tabs and joiners stay, and a document stays what it is.
func TestControlCharactersAreShownToAgents(t *testing.T) {
	k := fresh(t)
	ok(k.MakeCircle(ctx, core.Circle{Name: "Work"}))
	id := k.inWork("likes\u202etea\u2066\x1b[2J\u200e\u0085\u061c\n\ta family: 👨\u200d👩")[0]
	for _, unredacted := range []bool{false, true} {
		k.lets(fmt.Sprint("agent-", unredacted), "work", func(g *core.AgentGrant) { g.Unredacted = unredacted })
		name := fmt.Sprint("agent-", unredacted)
		want := `likes\u{202e}tea\u{2066}\u{1b}[2J\u{200e}\u{85}\u{61c}` + "\n\ta family: 👨\u200d👩"
		equal(t, want, ok(k.AgentMemory(ctx, name, id)).Content)
		told := ok(k.AgentContext(ctx, name, "", 0)).Text
		if !strings.Contains(told, `\u{202e}`) || strings.ContainsAny(told, "\u202e\x1b") {
			t.Errorf("%q", told)
		}
		if d := ok(k.AgentExport(ctx, name, core.AgentExport{})); strings.Contains(d.Text, `u{202e}`) {
			t.Error(d.Text)
		}
	}
}

// TestContextHasWhatIsImportant: of many memories only some are read for a context, among them those
// that the person called important, however old they are; the others are counted.
func TestContextHasWhatIsImportant(t *testing.T) {
	k := fresh(t)
	ok(k.MakeCircle(ctx, core.Circle{Name: "Work"}))
	texts := []string{"plays the bassoon", "keeps bees"}
	for i := range 150 {
		texts = append(texts, fmt.Sprintf("has read volume %d of the novel", i))
	}
	ids := k.inWork(texts...)
	k.lets("cursor", "work", nil)
	told := func(text string) bool { return strings.Contains(ok(k.AgentContext(ctx, "cursor", "", 300)).Text, text) }
	for i, text := range texts[:2] { // the second one after the importance of all was read
		ok(k.EditMemory(ctx, ids[i], core.MemoryEdit{Importance: to(0.1)}))
		if told(text) {
			t.Errorf("%q is told before it is important: nothing is left out", text)
		}
		ok(k.EditMemory(ctx, ids[i], core.MemoryEdit{Importance: to(1.0)}))
		if !told(text) {
			t.Errorf("%q is important, and not told", text)
		}
	}
	c := ok(k.AgentContext(ctx, "cursor", "", 300))
	equal(t, len(texts), c.Memories+c.LeftOut)
}
