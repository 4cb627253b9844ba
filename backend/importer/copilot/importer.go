package copilot

import "keepsake/backend/importer"

// platform is provenance.platform (PAM §11.4): the product, not the company.
const platform = "copilot"

// Importer reads exports of Copilot. The zero value is ready.
type Importer struct {
	most int64 // bytes that are held of a row; 0 is as many as of any conversation
}

// Info names the reader. Its version dates the newest layout it knows.
func (Importer) Info() importer.Info {
	return importer.Info{ID: "copilot", Name: "Copilot", Platform: platform, Version: "copilot/2026.12"}
}
