// Package chapters tells in which chapter of a person's portrait a memory belongs: by what the
// person said of it, its type, its domain, and words of English, Portuguese, Spanish, German and
// French that can be read in words.txt. docs/portrait.md has the chapters and the figures.
package chapters
