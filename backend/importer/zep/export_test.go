package zep

// Holding is a reader that holds so many bytes of the episodes of a file at most.
func Holding(bytes int64) Importer { return Importer{most: bytes} }
