// Package plainfile opens files that a person or a folder names, without waiting:
// a pipe that nobody writes to, a device that never ends and a socket are refused
// in a sentence, where opening or reading them would hang.
package plainfile
