// Package all lists the readers of every provider.
package all

import (
	"keepsake/backend/importer"
	"keepsake/backend/importer/chatgpt"
	"keepsake/backend/importer/claude"
	"keepsake/backend/importer/pasted"
)

// Importers is the ordered list; earlier ones win ties.
func Importers() importer.Registry {
	return importer.Registry{
		chatgpt.Importer{}, claude.Importer{},
		// Memory layers, local tools, command line sessions, text.
		pasted.Importer{},
	}
}
