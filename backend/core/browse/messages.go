package browse

import (
	"context"
	"iter"

	"keepsake/backend/memory"
)

// Messages streams the messages of a conversation, in the provider's order.
type Messages = iter.Seq2[memory.Message, error]

// UntilDone streams the messages of all, but ends with ctx.Err() once ctx is done.
func UntilDone(ctx context.Context, all Messages) Messages {
	return func(yield func(memory.Message, error) bool) {
		for m, err := range all {
			if err == nil {
				err = ctx.Err()
			}
			if !yield(m, err) || err != nil {
				return
			}
		}
	}
}

// Collect reads all messages into a slice. count is their expected number, for the
// capacity.
func Collect(all Messages, count int) ([]memory.Message, error) {
	out := make([]memory.Message, 0, count)
	for m, err := range all {
		if err != nil {
			return nil, err
		}
		out = append(out, m)
	}
	return out, nil
}
