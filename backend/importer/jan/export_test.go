package jan

// Holding is a reader that holds so many bytes of a thread's messages at most.
func Holding(bytes int64) Importer { return Importer{most: bytes} }
