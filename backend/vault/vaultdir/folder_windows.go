package vaultdir

import "os"

// noFollow is nothing: Windows has no such flag, and its links (reparse points)
// are told by the look at the name before it is opened.
const noFollow = 0

func isLinkError(error) bool { return false }

// isForeign is not asked: the access list of the folder says who may write there.
func isForeign(string, os.FileInfo) bool { return false }

func hasSecondName(os.FileInfo) bool { return false }
