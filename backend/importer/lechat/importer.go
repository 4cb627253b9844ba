package lechat

import "keepsake/backend/importer"

// platform is provenance.platform (PAM §11.4): the product, not the company.
const platform = "lechat"

// Importer reads exports of Le Chat. The zero value is ready.
type Importer struct{}

// Info names the reader. Its version dates the newest layout it knows.
func (Importer) Info() importer.Info {
	return importer.Info{ID: "lechat", Name: "Le Chat", Platform: platform, Version: "lechat/2026.09"}
}
