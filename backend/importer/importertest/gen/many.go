package gen

import (
	"bufio"
	"fmt"
	"io"
)

// ManyMemories are memories of a few words with a source key of their own each: no two
// are alike.
type ManyMemories struct {
	Name  string
	Most  int // that a file has: a pasted text is read whole, and may be 16 MiB long
	Write func(w io.Writer, from, to int) error
}

// Many makes the lists of memories that may be very long: the memory server's file, a
// dump of mem0 and pasted lists.
func Many() []ManyMemories {
	return []ManyMemories{
		{"memory.jsonl", 10_000_000, func(w io.Writer, from, to int) error {
			return written(w, from, to, "", "", "\n", func(out io.Writer, i int) {
				fmt.Fprintf(out, `{"type":"entity","name":"E%d","entityType":"thing","observations":["is seen by the gate on walk number %d"]}`, i, i)
			})
		}},
		{"mem0.json", 10_000_000, func(w io.Writer, from, to int) error {
			return written(w, from, to, `{"results":[`, "]}", ",\n", func(out io.Writer, i int) {
				fmt.Fprintf(out, `{"id":"%08x-0000-4000-8000-%012x","memory":"Passed the gate on walk number %d","hash":"%032x","metadata":null,"created_at":"2026-01-02T03:04:05-08:00","updated_at":null,"user_id":"robin"}`,
					uint32(i)*0x9E3779B1, i, i, i)
			})
		}},
		{"pasted.md", 100_000, func(w io.Writer, from, to int) error {
			return written(w, from, to, "```\n", "\n```\n", "\n", func(out io.Writer, i int) {
				fmt.Fprintf(out, "[2026-01-%02d] - Passed the gate on walk number %d", 1+i%28, i)
			})
		}},
	}
}

// written writes the entries of these numbers with something between them.
func written(w io.Writer, from, to int, before, after, between string, entry func(out io.Writer, i int)) error {
	out := bufio.NewWriterSize(w, 1<<20)
	_, _ = out.WriteString(before) // Flush has its error
	for i := from; i < to; i++ {
		if i > from {
			_, _ = out.WriteString(between)
		}
		entry(out, i)
	}
	_, _ = out.WriteString(after)
	return out.Flush()
}
