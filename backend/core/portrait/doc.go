// Package portrait shows the memories of a vault as a page about the person, by chapters, and takes
// what the person says of its sentences: true, not any more, in another chapter. docs/portrait.md.
package portrait
