package keptblock

import "os"

// isOwn cannot tell: on Windows the folder of the account decides who writes into it.
func isOwn(os.FileInfo) bool { return true }
