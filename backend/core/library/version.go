package library

// Version of Keepsake, as `keepsake version` prints it.
const Version = "0.1.0"

// Extractor is the name of Keepsake in the PAM fields provenance.extractor,
// import_metadata.importer and exported_by (form: name/semver).
const Extractor = "keepsake/" + Version
