// Package imports imports exports of AI assistants and memory documents into the vault. It
// finds the reader of each file (groups.go), verifies documents (validatedocument.go), and
// runs the readers and stores their items in batches (imports.go, sink.go). For each item
// it decides whether to store, merge or skip it (apply.go, statements.go, records.go). A
// plan is a dry run of an import (plan.go). Jobs run in the background (jobs.go).
package imports
