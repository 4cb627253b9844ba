package library

import (
	"fmt"
	"iter"
)

// Page returns at most limit elements of a list, from offset on; limit 0 = all.
func Page[T any](all []T, offset, limit int) []T {
	all = all[min(max(offset, 0), len(all)):]
	if limit > 0 {
		all = all[:min(limit, len(all))]
	}
	return all
}

// Cut shortens text to at most n bytes without splitting a UTF-8 character.
func Cut(text string, n int) string {
	if len(text) <= n {
		return text
	}
	for n > 0 && text[n]&0xC0 == 0x80 {
		n--
	}
	return text[:n]
}

// ForEach calls take for each value of a sequence. It stops at the first error and returns
// it.
func ForEach[T any](seq iter.Seq2[T, error], take func(T)) error {
	for value, err := range seq {
		if err != nil {
			return err
		}
		take(value)
	}
	return nil
}

// Collect returns the values of a sequence, up to the first error.
func Collect[T any](seq iter.Seq2[T, error]) ([]T, error) {
	all := []T{}
	err := ForEach(seq, func(value T) { all = append(all, value) })
	return all, err
}

// wrap prefixes an error with the failed action; nil stays nil.
func wrap(err error, doing string) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", doing, err)
}
