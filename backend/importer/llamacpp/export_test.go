package llamacpp

// Holding is a reader that holds so many bytes of a file of lines at most.
func Holding(bytes int64) Importer { return Importer{most: bytes} }
