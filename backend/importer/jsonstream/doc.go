// Package jsonstream reads the JSON of exports: files of gigabytes, written by many
// programs and versions, cut off, joined or damaged on their way. It knows JSON and no
// provider.
//
// [Stream] cuts a file into elements (conversations, memories), one in memory at a time.
// [Lines] does the same for files with one value a line. [Members], [Items], [Member],
// [Text] and the rest walk a value that a Stream has validated, without copying it.
// [Names.Fill] fills a provider's struct from an object.
//
// What is wrong is tolerated where the meaning is clear, and always counted:
//
//   - invalid UTF-8, lone surrogates and raw control characters become U+FFFD
//     ([Stream.Replaced], [Lines.Replaced]);
//   - of duplicate member names the last value counts; the others are kept in the object
//     under [Doubled] ([Stream.Doubled], [Lines.Doubled]);
//   - an element over a limit (size, depth, members, length of a number) or that is no JSON is left
//     out as a [BadElement], and reading goes on behind it, also where its brackets never
//     close but the next element clearly begins;
//   - a byte order mark is skipped, lines that two programs wrote into each other are
//     taken apart.
//
// What is not tolerated ends the sequence with an error that names the file, the byte and
// how many elements were read: a file that ends in the middle, text behind the end, a top
// level that is neither an object nor an array.
//
// The path of an element: scanner (where does it end) or fastPath (the same, and the
// checks, in one pass), checked and Nests.checked (validation and repair), prefetcher (the
// goroutine that reads ahead of the loop), [Stream.All].
package jsonstream
