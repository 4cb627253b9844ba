// Package split proposes the single facts of a memory that holds several: the items of a list,
// parts between semicolons, sentences, and statements that "and" or a comma joins. It goes by
// rules and by words of English, Portuguese, Spanish, German and French that can be read in
// words.txt. Nothing is made up: a fact has words of the text in their order, with the heading
// or the subject that they stood under. What may be one fact stays one: precision comes before
// recall. docs/portrait.md has the figures.
package split
