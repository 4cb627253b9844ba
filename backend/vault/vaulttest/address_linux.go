package vaulttest

import "unsafe"

// addressOf is where a slice lies.
func addressOf(b []byte) uintptr { return uintptr(unsafe.Pointer(unsafe.SliceData(b))) }
