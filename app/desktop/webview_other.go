//go:build !(linux && cgo && production && webkit2_41)

package desktop

import (
	"context"

	wails_runtime "github.com/wailsapp/wails/v2/pkg/runtime"
)

// WipeWhatIsFreed does nothing: no way is known here.
func WipeWhatIsFreed() {}

// throwPageAway loads the page anew. Its process stays; what was freed in it is
// left to its garbage collector.
func throwPageAway(ctx context.Context) { wails_runtime.WindowReload(ctx) }

// setClipboard offers text.
func setClipboard(ctx context.Context, text string) error {
	return wails_runtime.ClipboardSetText(ctx, text)
}
