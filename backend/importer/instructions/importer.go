package instructions

import (
	"context"
	"path"
	"strings"

	"keepsake/backend/importer"
	"keepsake/backend/intake"
)

const platform = "instruction-file"

// Importer reads instruction files. The zero value is ready.
type Importer struct{}

var _ importer.Importer = Importer{}

// Info names the reader.
func (Importer) Info() importer.Info {
	return importer.Info{ID: "instruction-file", Name: "Instruction files", Platform: platform, Version: "instruction-file/2026.09"}
}

// Sniff recognises a file by its name and by being text.
func (Importer) Sniff(ctx context.Context, tree *intake.Tree) (importer.Match, error) {
	for _, f := range tree.Files() {
		if of(f.Path).tool == "" {
			continue
		}
		if _, head, err := importer.LookAt(ctx, tree, f); err != nil {
			return importer.Match{}, err
		} else if importer.LooksLikeText(head) {
			return importer.Match{Certainty: importer.Certain, Format: "markdown"}, nil
		}
	}
	return importer.Match{}, nil
}

// kind is whose a file is; without a tool it is nobody's.
type kind struct {
	tool, scope string
	own         bool // written by the assistant for itself
}

// of tells by the place of a file.
func of(name string) kind {
	at := "/" + strings.ToLower(name)
	base := path.Base(at)
	in := func(folder string) bool { return strings.Contains(at, "/"+folder+"/") }
	switch {
	case base == "claude.md":
		return kind{tool: "Claude Code", scope: "project"}
	case base == "claude.local.md":
		return kind{tool: "Claude Code", scope: "local"}
	case in("memory") && strings.HasSuffix(base, ".md") && (in(".claude") || in("projects")):
		return kind{"Claude Code", "project", true}
	case in("memory") && base == "memory.md" && in("tmp"):
		return kind{"Gemini CLI", "project", true}
	case base == "memory.md":
		return kind{"Claude Code", "", true}
	case base == "agents.md" && in(".codex"):
		return kind{tool: "Codex", scope: "user"}
	case base == "agents.md":
		return kind{tool: "AGENTS.md", scope: "project"}
	case base == "gemini.md" && in(".gemini"):
		return kind{tool: "Gemini CLI", scope: "user"}
	case base == "gemini.md":
		return kind{tool: "Gemini CLI", scope: "project"}
	case base == "copilot-instructions.md", in(".github/instructions") && strings.HasSuffix(base, ".instructions.md"):
		return kind{tool: "GitHub Copilot", scope: "project"}
	case base == ".cursorrules", strings.HasSuffix(base, ".mdc"):
		return kind{tool: "Cursor", scope: "project"}
	case base == ".windsurfrules":
		return kind{tool: "Windsurf", scope: "project"}
	}
	return kind{}
}
