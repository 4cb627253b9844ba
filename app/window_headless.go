//go:build headless

package app

import (
	"os"

	"keepsake/app/terminal"
	"keepsake/backend/product"
)

const mustOpenWindow = false

// window is not part of this build.
func window([]string) int {
	terminal.Line(os.Stderr, product.Program+": this build has no window. `keepsake serve` shows the page in a browser, `keepsake help` lists the commands.")
	return 1
}
