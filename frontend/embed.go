// Package frontend holds the built page.
package frontend

import (
	"embed"
	"io/fs"
)

// The folder is never empty: one dot file is kept in it, so that this compiles
// before the page was built.
//
//go:embed all:dist
var dist embed.FS

// Assets is the built page, index.html at its root.
func Assets() fs.FS {
	assets, err := fs.Sub(dist, "dist")
	if err != nil {
		panic(err) // only an invalid name can fail, and "dist" is none
	}
	return assets
}
