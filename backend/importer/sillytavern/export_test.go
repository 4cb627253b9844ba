package sillytavern

// Holding is a reader that holds so many bytes of a chat at most.
func Holding(bytes int64) Importer { return Importer{most: bytes} }
