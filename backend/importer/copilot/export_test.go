package copilot

// Holding is a reader that holds so many bytes of a row at most.
func Holding(bytes int64) Importer { return Importer{most: bytes} }
