// Package browse answers what a person asks of an unlocked vault: lists with filters and
// facets, search, the text of a conversation, the graph, figures, and saved searches. It
// reads through the library and changes nothing but saved searches.
package browse
