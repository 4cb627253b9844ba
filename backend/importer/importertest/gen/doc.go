// Package gen makes exports of AI assistants for tests: every value in them is
// made up from a seed. The same options give the same bytes. Beside each
// export stands the truth that was planted in it, so that a test can count.
package gen
