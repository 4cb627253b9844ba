// Package core holds Service: one method for each thing a person can ask of
// Keepsake. Doors (window, page, command line) parse, call one method, and
// translate the result; everything that is decided is decided here.
//
// The packages below it each offer a Service, which core.Service embeds: library (the open
// vault), browse (looking at it), documents (files and keys), imports, exports, proposals,
// lifecycle (opening, keeping and closing the vault) and files (what is handed over). What
// needs several of them is here: compaction, forget, edits of many, convert and the demo.
//
// The words of the product (memory, proposal, ledger, sighting, hand-off, forget) are
// explained in the glossary of docs/architecture.md; everything else has its usual name.
package core
