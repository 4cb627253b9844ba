// Package perplexity reads the exports of Perplexity.
//
// # The official one
//
// A workbook (.xlsx) with a sheet Conversations: UUID, CREATED, UPDATED, TITLE,
// OUTPUT_STR (JSON with the answer), and a sheet Memory: MEMORY_KEY,
// MEMORY_VALUE, IS_DELETED, IS_FORGOTTEN, IS_INVISIBLE. A row of Memory without a
// key is a profile that Perplexity drew up, as JSON. A cell holds at most 32,767
// characters: a longer answer is cut in the workbook itself, and is read as far
// as it goes (keepsake_answer says so).
//
// A workbook is a zip. intake opens it with the same guard as any other, and its
// sheets are streamed row by row; a library for workbooks would open the zip
// once more by itself, past that guard.
//
// # Browser extensions
//
// perplexity_*.json: {"metadata","conversations":[{"uuid","query","answer",
// "sources"}]}, or one thread {"status","entries":[…],"thread_metadata"}.
//
// # What becomes what
//
// The title stands for the question where a row has none of its own, which is
// how Perplexity makes titles (keepsake_question says so). Saved memories are
// memories, those deleted, forgotten or hidden are left out. The lines of the
// profile are memories too, marked as Perplexity's own conclusions.
package perplexity
