package gemini

import "keepsake/backend/importer"

// platform is provenance.platform (PAM §11.4): the product, not the company.
const platform = "gemini"

// Importer reads what Google Takeout holds of Gemini. The zero value is ready.
type Importer struct{}

// Info names the reader. Its version dates the newest layout it knows.
func (Importer) Info() importer.Info {
	return importer.Info{ID: "gemini", Name: "Gemini", Platform: platform, Version: "gemini/2026.12"}
}
