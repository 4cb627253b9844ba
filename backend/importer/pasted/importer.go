package pasted

import "keepsake/backend/importer"

// platform is provenance.platform: which assistant wrote it is rarely said.
const platform = "pasted"

// Importer reads pasted memories. The zero value is ready.
type Importer struct{}

// Info names the reader. Its version dates the newest shape it knows.
func (Importer) Info() importer.Info {
	return importer.Info{ID: "pasted", Name: "Pasted text", Platform: platform, Version: "pasted/2026.12.1"}
}
