package openmemory

// Holding is a reader that lets packed lines unfold to so many bytes.
func Holding(bytes int64) Importer { return Importer{most: bytes} }
