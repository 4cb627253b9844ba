// Package all lists the readers of every provider.
package all

import (
	"keepsake/backend/importer"
	"keepsake/backend/importer/basicmemory"
	"keepsake/backend/importer/chatbox"
	"keepsake/backend/importer/chatgpt"
	"keepsake/backend/importer/cherrystudio"
	"keepsake/backend/importer/claude"
	"keepsake/backend/importer/claudecode"
	"keepsake/backend/importer/cline"
	"keepsake/backend/importer/codex"
	"keepsake/backend/importer/copilot"
	"keepsake/backend/importer/deepseek"
	"keepsake/backend/importer/gemini"
	"keepsake/backend/importer/geminicli"
	"keepsake/backend/importer/grok"
	"keepsake/backend/importer/instructions"
	"keepsake/backend/importer/jan"
	"keepsake/backend/importer/lechat"
	"keepsake/backend/importer/letta"
	"keepsake/backend/importer/librechat"
	"keepsake/backend/importer/llamacpp"
	"keepsake/backend/importer/lmstudio"
	"keepsake/backend/importer/mcpmemory"
	"keepsake/backend/importer/mem0"
	"keepsake/backend/importer/mif"
	"keepsake/backend/importer/opencode"
	"keepsake/backend/importer/openmemory"
	"keepsake/backend/importer/openwebui"
	"keepsake/backend/importer/pam"
	"keepsake/backend/importer/pasted"
	"keepsake/backend/importer/perplexity"
	"keepsake/backend/importer/personal"
	"keepsake/backend/importer/sillytavern"
	"keepsake/backend/importer/typingmind"
	"keepsake/backend/importer/zep"
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
		pam.New(),
		mif.Importer{},
		personal.Importer{},
		// Memory layers, local tools, command line sessions, text.
		openwebui.Importer{}, librechat.Importer{}, lmstudio.Importer{}, jan.Importer{},
		opencode.Importer{}, cline.Importer{}, cherrystudio.Importer{}, chatbox.Importer{}, sillytavern.Importer{}, llamacpp.Importer{}, typingmind.Importer{},
		mem0.Importer{}, openmemory.Importer{}, mcpmemory.Importer{}, letta.Importer{}, basicmemory.Importer{}, zep.Importer{},
		claudecode.Importer{}, codex.Importer{}, geminicli.Importer{}, geminicli.Web(), instructions.Importer{},
		pasted.Importer{},
		perplexity.Importer{},
	}
}
