// Package all lists the readers of every provider.
package all

import (
	"keepsake/backend/importer"
	"keepsake/backend/importer/chatgpt"
	"keepsake/backend/importer/claude"
	"keepsake/backend/importer/copilot"
	"keepsake/backend/importer/deepseek"
	"keepsake/backend/importer/gemini"
	"keepsake/backend/importer/grok"
	"keepsake/backend/importer/lechat"
	"keepsake/backend/importer/perplexity"
)

// Importers is the ordered list; earlier ones win ties.
func Importers() importer.Registry {
	return importer.Registry{
		chatgpt.Importer{},
		claude.Importer{},
		copilot.Importer{},
		deepseek.Importer{},
		gemini.Importer{},
		grok.Importer{},
		lechat.Importer{},
		perplexity.Importer{},
	}
}
