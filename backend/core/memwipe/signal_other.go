//go:build !linux

package memwipe

// interrupted does nothing where Go takes no signals of itself.
func interrupted(_, _, _, _, _, _, _, _, _, _, _, _, _, _, _ float64) {}

// clearSignalStack does nothing there, too: on Windows there is none, and macOS does not
// want to be asked without its libraries.
func clearSignalStack() {}
