package files

// Input is one file or folder that a person chose: a path that the Go side received
// (dialog, drop, argument), or an upload that AddUpload stored.
type Input struct {
	Path   string
	Upload string // id from AddUpload; wins over Path
	// Fallback is the id of the importer to use when detection finds none, as for pasted
	// text in plain lines; "" for no fallback.
	Fallback string
	// Passphrase decrypts the file if it is encrypted; nil: none. The caller clears it.
	Passphrase []byte
	// Account is the account of the export, used if the export itself names none; ""
	// is the default account of its provider.
	Account string

	Wrong    *WrongTries // counts failed passphrases, for all files of an import; nil: no limit
	Original string      // blob reference, if the vault already stores this file; "": not stored
}
