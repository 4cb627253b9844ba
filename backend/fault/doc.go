// Package fault holds the errors that every door can translate.
//
// A fault is one clear sentence for a person: what happened, where, what was
// kept, and what to do. It carries a [Code] that programs rely on (twelve of
// them, never renamed), a reason that names the sentence so that a page can
// show it in another language, and the named values that fill it in. The
// sentence stands beside the code that raises it, in English; translations of
// it live with the page, and a test holds the two together.
//
// Values put into a sentence must never be content of the vault: names of
// files and entries, numbers and limits only.
package fault
