// Package product holds what the program is called, in the one place that a change of
// name starts from. Sentences name it too, and build/ holds what each system wants to
// know: a test names every file there that must agree. Names in stored data (in keys, ids
// and formats) are none of it: they stay whatever the program is called.
package product

const (
	// Name is what people read.
	Name = "Keepsake"
	// Program is the name of the program, of its folders and of its entry in the menu.
	Program = "keepsake"
	// ID is the reverse-DNS id under which systems and software centres know the program.
	ID = "app.keepsake.desktop"
)
