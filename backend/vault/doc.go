// Package vault keeps sealed records in a folder on the person's own disk.
// docs/vault-format.md is the norm for everything it writes.
//
// The words:
//
//   - A collection is a numbered set of records: memories, relations, imports…
//   - A record is bytes under an id. On disk it stands under a sequence number;
//     a keyed hash of the id, the locator, leads to it.
//   - A link is a keyed hash of any name that leads to a short string: content
//     hash to memory, provider id to conversation.
//   - A conversation is a head record and chunks of consecutive messages.
//   - A blob is a file of its own: attachments and kept originals.
//   - The state record is rewritten in every transaction: generation, counts
//     and a keyed sum over all stored values. Opening the vault recomputes it.
//
// The package reads no formats and knows no ids but the ones it is given. It and
// its journal are the only ones that touch bbolt.
package vault
