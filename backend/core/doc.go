// Package core holds Service, which has one method for each operation of Keepsake. The
// user interfaces (window, page, command line) parse the input, call one method, and
// translate the result; all decisions are made here.
//
// The packages below it each offer a Service, which core.Service embeds: library (the open
// vault), browse (queries), documents (files and keys), imports, exports, proposals,
// lifecycle (creating, opening, maintaining and closing the vault) and files (input files
// and uploads). Operations that need several of them are here: compaction, forget (deletion
// for good), bulk edits, convert and the demo.
//
// The words of the product (memory, proposal, ledger, sighting, hand-off, forget) are
// explained in the glossary of docs/architecture.md; everything else has its usual name.
package core
