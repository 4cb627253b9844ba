// Package atomicfile writes files that are either whole or not there.
//
// A file is written under a temporary name in its own folder, flushed to the
// disk, and only then given its name. Whoever looks sees the old file or the
// new one, also after a crash or a power cut; a failure leaves no trace.
package atomicfile
