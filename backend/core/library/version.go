package library

// Version of Keepsake, as `keepsake version` prints it.
const Version = "0.1.0"

// Extractor names us in provenance.extractor, import_metadata.importer and
// exported_by (PAM: name/semver).
const Extractor = "keepsake/" + Version
