package perplexity

import "keepsake/backend/importer"

// platform is provenance.platform (PAM §11.4): the product, not the company.
const platform = "perplexity"

// Importer reads exports of Perplexity. The zero value is ready.
type Importer struct{}

// Info names the reader. Its version dates the newest layout it knows.
func (Importer) Info() importer.Info {
	return importer.Info{ID: "perplexity", Name: "Perplexity", Platform: platform, Version: "perplexity/2026.09"}
}
