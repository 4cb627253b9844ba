package opencode

// Holding is a reader that holds so many bytes of a session's files at most.
func Holding(bytes int64) Importer { return Importer{most: bytes} }
