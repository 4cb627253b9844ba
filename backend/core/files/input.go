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

	Wrong    *WrongTries // shared by all files of an import; nil: a single file
	Original string      // reference of a copy that the vault already stores; "": none
}
