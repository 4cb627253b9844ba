// Package browse answers queries on an unlocked vault: lists with filters and facets,
// full-text search, the text of a conversation, the graph of memories, statistics, and
// saved searches. It reads through package library and changes only saved searches.
package browse
