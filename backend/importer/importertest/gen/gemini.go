package gen

import (
	"cmp"
	"fmt"
	"html"
	"path"
	"slices"
	"strings"
	"time"
)

// TakeoutOptions of a generated Takeout with Gemini in it. Zero values make a
// small one in English JSON whose records name their conversation.
type TakeoutOptions struct {
	Seed          uint64
	Conversations int    // 0 is 4
	Turns         int    // records of each; 0 is 2
	Later         bool   // the last conversation went on by a record, and there is one more
	Layout        string // "json", "html" or "header" (the second HTML layout); "" is json
	Language      string // "en", "sv", "uk", "pt", "el"; "" is en
	Bare          bool   // records do not name their conversation
	Gems          bool
	Mixed         bool // records of other products in the same file
}

// tongue is how Takeout names things in a language.
type tongue struct{ folder, file, product, verb, attached, stamp string }

var tongues = map[string]tongue{
	"en": {"My Activity/Gemini Apps", "MyActivity", "Gemini Apps", "Prompted ", "Attached 1 file.", "Jan 2, 2006, 3:04:05\u202FPM UTC"},
	"sv": {"Min aktivitet/Gemini-appar", "MinAktivitet", "Gemini-appar", "Gav instruktionen ", "Bifogade 1 fil.", "2 jan. 2006 15:04:05 CET"},
	"uk": {"Моя активність/Додатки Gemini", "Моя активність", "Додатки Gemini", "Запит: ", "Додано 1 файл.", "2 січ. 2006 р., 15:04:05 EET"},
	"pt": {"Minha atividade/Apps do Gemini", "Minhaatividade", "Apps do Gemini", "Solicitou ", "1 arquivo anexado.", "2 de jan. de 2006, 15:04:05 BRT"},
	"el": {"Η δραστηριότητά μου/Εφαρμογές Gemini", "Ηδραστηριότητάμου", "Εφαρμογές Gemini", "Δώσατε εντολή ", "Επισυνάφθηκε 1 αρχείο.", "2 Ιαν 2006, 3:04:05 μ.μ. EET"},
}

// Takeout makes the files of a Takeout, folders and all, and tells what was
// planted. Records are newest first; the first conversation has a picture.
func Takeout(o TakeoutOptions) ([]File, Truth) {
	o.Conversations, o.Turns, o.Language = cmp.Or(o.Conversations, 4), cmp.Or(o.Turns, 2), cmp.Or(o.Language, "en")
	if o.Later {
		o.Conversations++
	}
	g := &takeout{maker: newMaker(o.Seed), TakeoutOptions: o, tongue: tongues[o.Language]}
	for i := range o.Conversations {
		g.talk(i)
	}
	if o.Mixed {
		g.rows = append(g.rows, g.stranger(), g.stranger())
		g.truth.Records += 2
	}
	g.truth.Records += g.truth.Messages
	folder := "Takeout/" + g.folder + "/"
	if o.Mixed { // all products in one file lie a folder above
		folder = path.Dir("Takeout/"+g.folder) + "/"
	}
	if o.Layout == "header" { // it shows no files: the picture is nobody's
		g.truth.Attachments = 0
		g.truth.Records++
	}
	ending, write := ".html", g.html
	if o.Layout == "" || o.Layout == "json" {
		ending, write = ".json", g.json
	}
	files := []File{{Name: folder + "photo-1.png", Data: []byte("\x89PNG\r\n\x1a\npicture"), Store: true}, {Name: folder + g.file + ending, Data: write()}}
	if o.Gems {
		files = append(files, g.gems())
		g.truth.Records++
	}
	return files, g.truth
}

type takeout struct {
	maker
	TakeoutOptions
	tongue
	truth Truth
	rows  []record // oldest first
}

// record is one row before it is written down.
type record struct {
	at            time.Time
	asked, answer string // answer as HTML
	chat, file    string
	stranger      bool
}

func (g *takeout) talk(i int) {
	began := day.Add(time.Duration(3*i) * time.Hour)
	planted := Talk{}
	if !g.Bare {
		planted.ID = g.hex(16)
	}
	turns := g.Turns
	if g.Later && i == g.Conversations-2 {
		turns++
	}
	for turn := range turns {
		r := record{at: began.Add(time.Duration(turn) * time.Minute), asked: g.sentence(7), chat: planted.ID}
		r.answer = "<p>" + g.sentence(9) + "</p><ul><li>One</li><li>Two</li></ul>"
		if i == 0 && turn == 0 {
			r.file = "photo-1.png"
			g.truth.Attachments++
		}
		if i == 1 && turn == 1 {
			r.answer = "" // a record without an answer
		}
		planted.Messages++
		if r.answer != "" {
			planted.Messages++
		}
		planted.Said = append(planted.Said, r.asked)
		g.rows = append(g.rows, r)
	}
	planted.Title = planted.Said[0]
	g.truth.Conversations = append(g.truth.Conversations, planted)
	g.truth.Messages += planted.Messages
}

func (g *takeout) stranger() record {
	return record{at: day, asked: "Searched for " + g.sentence(2), stranger: true}
}

func (g *takeout) json() []byte {
	var all []any
	for _, r := range slices.Backward(g.rows) {
		o := object{"header": g.product, "title": g.verb + r.asked, "time": r.at.Format("2006-01-02T15:04:05.000Z"), "products": []any{g.product}, "activityControls": []any{g.product}}
		if r.stranger {
			o["header"], o["title"], o["products"] = "Search", r.asked, []any{"Search"}
		}
		if r.answer != "" {
			o["safeHtmlItem"] = []any{object{"html": r.answer}}
		}
		if r.chat != "" {
			o["details"] = []any{object{"name": g.address(r), "url": g.address(r)}}
			o["titleUrl"] = g.address(r)
		}
		if r.file != "" {
			o["subtitles"] = []any{object{"name": g.attached}, object{"name": "-  photo.png", "url": r.file}}
			o["attachedFiles"] = []any{r.file}
		}
		all = append(all, o)
	}
	return toJSON(all)
}

func (g *takeout) address(r record) string { return "https://gemini.google.com/app/" + r.chat }

// written is a time as a page shows it: month names of May in each language.
func (g *takeout) written(at time.Time) string {
	zones := map[string]int{"sv": 1, "uk": 2, "el": 2, "pt": -3}
	s := at.In(time.FixedZone("", zones[g.Language]*3600)).Format(strings.NewReplacer("січ.", "Jan", "jan.", "Jan", "Ιαν", "Jan", "μ.μ.", "PM").Replace(g.stamp))
	may := map[string]string{"uk": "трав.", "sv": "maj", "pt": "mai.", "el": "Μαΐ"}[g.Language]
	if may != "" {
		s = strings.NewReplacer("May", may, "AM", "π.μ.", "PM", "μ.μ.").Replace(s)
	}
	return s
}

func (g *takeout) html() []byte {
	var b strings.Builder
	b.WriteString(`<html><head><title>` + g.product + `</title></head><body><div class="mdl-grid">`)
	for _, r := range slices.Backward(g.rows) {
		g.cell(&b, r)
	}
	b.WriteString("</div></body></html>")
	return []byte(b.String())
}

func (g *takeout) cell(b *strings.Builder, r record) {
	product, verb := g.product, strings.TrimSpace(g.verb)
	if r.stranger {
		product, verb = "Search", ""
	}
	asked := html.EscapeString(r.asked)
	b.WriteString(`<div class="outer-cell mdl-cell mdl-cell--12-col mdl-shadow--2dp"><div class="mdl-grid">`)
	if g.Layout == "header" {
		fmt.Fprintf(b, `<div class="header-cell mdl-cell mdl-cell--12-col"><h3>%s</h3><p>%s<br></p><p>%s</p></div><div class="content-cell mdl-cell mdl-typography--body-1">%s<br>%s</div>`,
			product, verb, g.written(r.at), asked, r.answer)
	} else {
		fmt.Fprintf(b, `<div class="header-cell mdl-cell mdl-cell--12-col"><p class="mdl-typography--title">%s<br></p></div><div class="content-cell mdl-cell mdl-cell--6-col mdl-typography--body-1">%s&nbsp;%s<br>`,
			product, verb, asked)
		if r.file != "" {
			fmt.Fprintf(b, `%s<br>-&nbsp; <a href="%s">photo.png</a><br>`, g.attached, r.file)
		}
		fmt.Fprintf(b, `%s<br>%s</div><div class="content-cell mdl-cell mdl-typography--body-1 mdl-typography--text-right"></div>`, g.written(r.at), r.answer)
	}
	fmt.Fprintf(b, `<div class="content-cell mdl-cell mdl-cell--12-col mdl-typography--caption"><b>Products:</b><br>&emsp;%s<br>`, product)
	if r.chat != "" {
		fmt.Fprintf(b, `<b>Details:</b><br>&emsp;<a href="%s">%s</a><br>`, g.address(r), g.address(r))
	}
	b.WriteString(`</div></div></div>`)
}

func (g *takeout) gems() File {
	told := g.truth.plant("Answer like a clockmaker.\nIn short sentences.")
	return File{Name: "Takeout/Gemini/gemini_gems_data.html", Data: []byte(`<html><body><div><b>Name:</b> Clock helper<br><b>Instructions:</b> ` +
		strings.ReplaceAll(told, "\n", "<br>") + `<br></div></body></html>`)}
}

// TakeoutZips packs a Takeout as numbered parts, every file in the part that
// its place gives it.
func TakeoutZips(files []File, parts int) []File { return takeoutParts(files, parts, "zip", Zip) }

// TakeoutTGZs is TakeoutZips with the other kind of archive that Takeout offers.
func TakeoutTGZs(files []File, parts int) []File { return takeoutParts(files, parts, "tgz", TGZ) }

func takeoutParts(files []File, parts int, ending string, pack func([]File) []byte) []File {
	list := make([][]File, parts)
	for i, f := range files {
		list[i%parts] = append(list[i%parts], f)
	}
	var packed []File
	for i, inside := range list {
		packed = append(packed, File{Name: fmt.Sprintf("takeout-20260704T091233Z-%03d.%s", i+1, ending), Data: pack(inside)})
	}
	return packed
}

// WorkspaceHistory is one conversation of Gemini in Workspace.
func WorkspaceHistory(seed uint64) ([]File, Truth) {
	m := newMaker(seed)
	said := m.sentence(5)
	talk := Talk{ID: "c0ffee", Title: m.sentence(3), Messages: 2, Said: []string{said}}
	file := File{Name: "Takeout/Gemini in Workspace/Conversation History/conversation_" + talk.ID + ".txt", Data: toJSON(object{
		"title": talk.Title, "creation_time": "2026-05-01T10:00:00Z", "last_modification_time": "2026-05-01T10:05:00Z",
		"conversation_turns": []any{object{"user_turn": object{"prompt": said, "app": "docs"}},
			object{"system_turn": object{"text": []any{object{"data": m.sentence(9), "preamble": "p"}}}}}})}
	return []File{file}, Truth{Conversations: []Talk{talk}, Messages: 2, Records: 2}
}

// AIStudio is one prompt of AI Studio as Drive keeps it.
func AIStudio(seed uint64) ([]File, Truth) {
	m := newMaker(seed)
	said := m.sentence(5)
	talk := Talk{Title: "Clock prompt", Messages: 3, Said: []string{said}}
	file := File{Name: "Takeout/Drive/Google AI Studio/Clock prompt", Data: toJSON(object{
		"runSettings": object{"model": "models/gemini-2.5-pro", "temperature": 1}, "systemInstruction": object{"parts": []any{object{"text": "Be brief."}}},
		"chunkedPrompt": object{"chunks": []any{object{"text": said, "role": "user", "tokenCount": 7},
			object{"text": "Let me think.", "role": "model", "isThought": true}, object{"text": m.sentence(8), "role": "model"}}}})}
	return []File{file}, Truth{Conversations: []Talk{talk}, Messages: 3, Records: 3}
}
