package library

import (
	"runtime"
	"runtime/debug"

	"keepsake/backend/product"
)

// Version of Keepsake, as `keepsake version` prints it.
const Version = "0.1.0"

// Extractor is the name of Keepsake in the PAM fields provenance.extractor,
// import_metadata.importer and exported_by (form: name/semver).
const Extractor = product.Program + "/" + Version

// Build says which program this is, and from which commit it was built.
type Build struct {
	Version string `json:"version"`
	Commit  string `json:"commit"`  // its whole hash; "" if the build did not record one
	Date    string `json:"date"`    // of the commit, RFC 3339 in UTC; "" as well
	Changed bool   `json:"changed"` // some files differed from the commit
	Go      string `json:"go"`
	OS      string `json:"os"`
	Arch    string `json:"arch"`
}

// ReadBuild reads what Go recorded in the program when it was built.
func ReadBuild() Build {
	b := Build{Version: Version, Go: runtime.Version(), OS: runtime.GOOS, Arch: runtime.GOARCH}
	info, _ := debug.ReadBuildInfo()
	if info == nil {
		return b
	}
	recorded := map[string]string{}
	for _, s := range info.Settings {
		recorded[s.Key] = s.Value
	}
	b.Commit, b.Date, b.Changed = recorded["vcs.revision"], recorded["vcs.time"], recorded["vcs.modified"] == "true"
	return b
}
