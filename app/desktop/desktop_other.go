//go:build !linux

package desktop

import (
	"context"
	"os"

	wails_runtime "github.com/wailsapp/wails/v2/pkg/runtime"

	"keepsake/backend/product"
)

// HasDisplay reports whether there is a display; elsewhere there always is.
func HasDisplay() bool { return true }

func settleGraphics() {}

// systemTheme is "": the web view follows the system by itself.
func systemTheme() string { return "" }

func showItem(string) error { return os.ErrNotExist }

// watchTheme has nothing to tell: the web view follows the system by itself.
func watchTheme(context.Context, func(string)) {}

// notify has the system show text, where it is allowed to, and calls clicked when
// somebody clicks on it.
func notify(ctx context.Context, text string, clicked func()) {
	if wails_runtime.InitializeNotifications(ctx) != nil || !wails_runtime.IsNotificationAvailable(ctx) {
		return
	}
	if allowed, err := wails_runtime.RequestNotificationAuthorization(ctx); err != nil || !allowed {
		return
	}
	wails_runtime.OnNotificationResponse(ctx, func(wails_runtime.NotificationResult) { clicked() })
	_ = wails_runtime.SendNotification(ctx, wails_runtime.NotificationOptions{ID: product.Program, Title: product.Name, Body: text}) // nobody waits for it
}
