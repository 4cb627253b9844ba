//go:build !bindings

package desktop

// Generating is true in the build whose main() is run to write the page's
// bindings: it must reach wails.Run and touch nothing.
const Generating = false
