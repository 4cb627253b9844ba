//go:build !linux && !windows

package system

import "context"

// Watch has nobody to ask here without cgo. A sleep shows on the clock
// (core.Service.WatchPresence).
func Watch(context.Context, func(), func()) {}
