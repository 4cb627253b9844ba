package chatgpt

import "keepsake/backend/importer"

// platform is provenance.platform and provider.name (PAM §11.4).
const platform = "chatgpt"

// Importer reads ChatGPT exports. The zero value is ready.
type Importer struct{}

// Info describes the reader.
func (Importer) Info() importer.Info {
	return importer.Info{ID: "chatgpt", Name: "ChatGPT", Platform: platform, Version: "chatgpt/2026.12"}
}
