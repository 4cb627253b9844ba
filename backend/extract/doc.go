// Package extract finds in what a person wrote the sentences that say
// something lasting about them, so that they can be proposed as memories
// (PAM §5 gives the types). It follows rules that can be read: one text file a
// language under rules/, each rule with the type it gives, how sure it is, and
// an example that a test holds it to. Nothing is learnt, nothing is rewritten:
// a proposal's words are the person's own.
//
// Precision is what matters. Questions, suppositions, quotations, code,
// dialogues, role play and texts to be translated give nothing. Text that tries
// to command an assistant is flagged, and nothing of its message is proposed.
package extract
