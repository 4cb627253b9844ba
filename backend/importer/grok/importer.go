package grok

import "keepsake/backend/importer"

// platform is provenance.platform (PAM §11.4): the product, not the company.
const platform = "grok"

// Importer reads exports of Grok. The zero value is ready.
type Importer struct{}

// Info names the reader. Its version dates the newest layout it knows.
func (Importer) Info() importer.Info {
	return importer.Info{ID: "grok", Name: "Grok", Platform: platform, Version: "grok/2026.09"}
}
