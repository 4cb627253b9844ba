package pasted

import (
	"regexp"
	"strings"
)

// What is said around a list, in the languages that the page knows and the
// larger ones besides.
var (
	none = regexp.MustCompile(`(?i)\b(?:(?:do(?:n['’]t| not)|currently)\s+(?:currently |actually )?have\s+(?:any |no )(?:\w+ ){0,3}memor(?:y|ies)|` +
		`(?:have|has|there (?:are|is)|with) no (?:\w+ ){0,3}memor(?:y|ies)|no memories (?:saved|stored|found|yet)|memory is (?:currently )?empty|` +
		`(?:don['’]t|do not) have (?:any )?(?:stored |saved )?(?:information|context|details?) (?:about|on) you|` +
		`não (?:tenho|há|existem?) (?:\pL+ ){0,3}mem[óo]rias?|no (?:tengo|hay) (?:\pL+ ){0,3}(?:memorias?|recuerdos?)|` +
		`(?:keine|noch keine) (?:\pL+ ){0,2}(?:erinnerungen|memories)|(?:aucun(?:e)?|pas de) (?:\pL+ ){0,2}(?:souvenirs?|mémoires?))`)
	more = regexp.MustCompile(`(?i)\b(?:more (?:\w+ ){0,2}remain|(?:there are|i have) (?:\w+ ){0,2}more\b|(?:not|in)\s?complete|is (?:only )?(?:a )?partial|truncated|` +
		`continue(?:d)? in|(?:shall|should|want me to) (?:i )?continue|remaining (?:memories|entries)|to be continued|` +
		`(?:ainda )?(?:há|restam|faltam) (?:\pL+ ){0,2}(?:mais|outras|memórias|entradas)|incomplet[oa]|quedan (?:\pL+ ){0,2}(?:más|memorias|recuerdos)|hay más|` +
		`es gibt (?:noch )?(?:weitere|mehr)|unvollständig|il (?:en )?reste|incomplète?)`)
	whole = regexp.MustCompile(`(?i)\b(?:(?:no|none|nothing)\s+(?:\w+ ){0,2}(?:more|else|remains?)|(?:is|are) (?:the |a |now )?complete|complete (?:set|list|export)|` +
		`that['’]?s (?:all|everything)|(?:conjunto|lista) complet[oa]|não (?:há|restam) mais|vollständig|no quedan|liste complète)`)
	closing = regexp.MustCompile(`(?i)^(?:here(?: is|['’]s| are)|below (?:is|are)|this is|these are|that['’]?s|that is|the above|total|sure|of course|certainly|` +
		`aqui est|este é|esta é|segue|claro|abaixo|aquí|estos son|hier (?:ist|sind)|das (?:ist|sind)|voici|let me know|is there|would you|i (?:can|could|hope|have (?:listed|included))|` +
		`note:|nota:|\d+ (?:entries|memories|entradas|memórias)\b)`)
	// announces is said of a list that holds what an assistant remembers.
	announces = regexp.MustCompile(`(?i)\b(?:remember(?:ed)?|know|sav(?:e|ed)|stored?|noted?|memor(?:y|ies))\b.{0,40}\b(?:about|of|on) you\b|\byour (?:saved )?memories\b|` +
		`\b(?:lembro|lembrei|sei|guardei|salvei|memórias?)(?:\PL.{0,40})?\b(?:sobre|de) você|\b(?:recuerdo|sé|guardado|memorias?)(?:\PL.{0,40})?\b(?:sobre|de) ti\b|` +
		`über dich\b|\b(?:sur|de) toi\b|\b(?:su|di) te\b`)
	pageWord = regexp.MustCompile(`(?i)^(?:delete|manage|manage memor(?:y|ies)|saved memor(?:y|ies)|memor(?:y|ies)|clear(?: memory)?|delete all|edit|close|copy(?: code)?|search(?: memories)?|sort(?: by.*)?|newest|oldest|` +
		`show more|settings|personalization|text|plaintext|markdown|` +
		`excluir|apagar|gerenciar|gerenciar memórias?|memórias? salvas?|memórias?|limpar|editar|fechar|copiar|configurações|` +
		`eliminar|gestionar|löschen|verwalten|supprimer|gérer|…|\.\.\.|×|✕|[•·])$`)
)

// saysMore reports a sentence that says the list is not whole.
func saysMore(s string) bool { return more.MatchString(s) && !whole.MatchString(s) }

// isNone reports and counts a sentence that says there are no memories.
func (p *parser) isNone(s string) bool {
	if len(s) > 400 || !none.MatchString(s) {
		return false
	}
	p.none = true
	p.skip("no-memories")
	return true
}

// isClosing reports and counts a sentence before or after the entries.
func (p *parser) isClosing(s string) bool {
	if pageWord.MatchString(s) {
		p.aside(s, "page-word")
		return true
	}
	if len(s) < 400 && (closing.MatchString(s) || whole.MatchString(s) || saysMore(s)) {
		p.aside(s, "closing")
		return true
	}
	return false
}

// isWord reports and counts a line that is no entry, in a text whose entries
// are written otherwise.
func (p *parser) isWord(l line, isBullet bool) bool {
	if !isBullet && p.isClosing(l.text) {
		return true
	}
	if p.shape == list && len(p.entries) == 0 && strings.HasSuffix(l.text, ":") {
		p.aside(l.text, "closing")
		return true
	}
	outside := p.fenced && !l.inside
	switch {
	case isBullet:
		return false
	case outside, p.shape == evidence, p.shape == dated && !l.inside, p.shape == numbered:
		p.aside(l.text, "not-an-entry")
		return true
	}
	return false
}
