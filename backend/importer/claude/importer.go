package claude

import (
	"keepsake/backend/importer"
)

// platform is provenance.platform (PAM §11.4): the product, not the company.
const platform = "claude"

// Importer reads exports of claude.ai. The zero value is ready.
type Importer struct{}

// Info names the reader. Its version dates the newest layout it knows.
func (Importer) Info() importer.Info {
	return importer.Info{ID: "claude", Name: "Claude", Platform: platform, Version: "claude/2026.12"}
}
