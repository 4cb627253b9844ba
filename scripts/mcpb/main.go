// Command mcpb writes the extension for Claude Desktop that is given out beside the packages: it
// starts the program where these put it.
//
//	go run ./scripts/mcpb FILE VERSION
package main

import (
	"fmt"
	"os"

	"keepsake/app/clients"
)

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "mcpb: name the file and the version")
		os.Exit(2)
	}
	if err := clients.InstalledBundle(os.Args[2]).Save(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "mcpb:", err)
		os.Exit(1)
	}
}
