// Package gemini reads what Google Takeout holds of Gemini (called Bard before
// February 2024).
//
// # My Activity
//
// Takeout/My Activity/Gemini Apps/MyActivity.json or .html, in one zip or tgz or
// in numbered parts. Names of folders and files, the product, the verb before
// each question and the times are in the person's language, so files are
// recognised by what is in them. HTML is what Takeout writes unless JSON is
// asked for.
//
// One record is one question with its answer. In JSON the question is the title
// behind the verb ("Prompted "), the answer is safeHtmlItem. In HTML it stands
// before the line with the time, the answer behind it; a second layout has verb
// and time in the header of the cell. The verb is known in some languages and
// learned from the records in others: what most titles begin (or end) with.
// What was cut off stays in raw_metadata (keepsake_verb), and so does the HTML.
//
// Since 2026 records name their conversation (details). Older ones do not:
// those with less than an hour between them are put together, which is a guess
// and marked as one (keepsake_grouping). Records of other products in the same
// file are counted and left out: products says whose one is, else the header.
//
// Descriptions of the format have question and answer in the clear, in details or
// userInteractions, and addresses of the form /app/c/<id>. They are read, too.
//
// # Beside it
//
// Gems (gemini_gems_data.html): their instructions are memories. Conversation
// History of Gemini in Workspace: conversation_<id>.txt, which is JSON. Files of
// AI Studio from Drive: JSON without an ending. What Gemini remembers (saved
// info) is not in Takeout.
package gemini
