// Package cherrystudio reads Cherry Studio: the backup of version 1, a zip with data.json
// and Data/Files (seen in code that reads it, 2026-09), and a topic that version 2 exports
// by itself, a .cherry.json (seen in its source, 2026-12).
//
// data.json is one object: indexedDB has topics, whose messages name the blocks that they
// are made of, and message_blocks; localStorage has texts of JSON, in which the names of
// topics stand, and the keys of providers. Of these texts only the assistants are looked
// at, and of each assistant its name, its prompt and the names of its topics.
package cherrystudio
