// Package sensitive tells which sensitive topics a short text is about, in English, Portuguese,
// Spanish, German and French: by lists of words that can be read (words/), and by what the text
// means, where its vector is at hand. docs/sensitive.md has the topics and the figures.
package sensitive
