package files

// Input is one thing a person handed over: a path that Go found out about
// (dialog, drop, argument), or an upload already taken in by AddUpload.
type Input struct {
	Path   string
	Upload string // id from AddUpload; wins over Path
	// Fallback is the id of the importer to use when detection finds none, as for pasted
	// text in plain lines; "" for no fallback.
	Fallback string
	// Passphrase opens it where it is an encrypted file. The caller clears it.
	Passphrase []byte
	// Account names whose it is where the export itself does not; "" is the
	// default account of its provider.
	Account string

	Wrong    *WrongTries // of an import; nil where one file is opened
	Original string      // reference of the same bytes in the vault, "" for none
}
