// Keepsake reads the exports of AI assistants into an encrypted vault on this
// computer and gives what they remember back in open formats.
package main

import (
	"os"

	"keepsake/app"
)

func main() { os.Exit(app.Run(os.Args[1:])) }
