package deepseek

import "keepsake/backend/importer"

// platform is provenance.platform (PAM §11.4): the product, not the company.
const platform = "deepseek"

// Importer reads exports of DeepSeek. The zero value is ready.
type Importer struct{}

// Info names the reader. Its version dates the newest layout it knows.
func (Importer) Info() importer.Info {
	return importer.Info{ID: "deepseek", Name: "DeepSeek", Platform: platform, Version: "deepseek/2026.12"}
}
