package desktop

import (
	"context"
	_ "embed"
	"fmt"
	"io/fs"
	"net/http"
	"runtime"
	"strings"
	"sync"
	"time"

	"github.com/wailsapp/wails/v2"
	"github.com/wailsapp/wails/v2/pkg/logger"
	"github.com/wailsapp/wails/v2/pkg/options"
	"github.com/wailsapp/wails/v2/pkg/options/assetserver"
	"github.com/wailsapp/wails/v2/pkg/options/linux"
	"github.com/wailsapp/wails/v2/pkg/options/mac"
	"github.com/wailsapp/wails/v2/pkg/options/windows"
	wails_runtime "github.com/wailsapp/wails/v2/pkg/runtime"

	"keepsake/app/bridge"
	"keepsake/app/system"
	"keepsake/backend/core"
	"keepsake/backend/product"
)

// Size of the window, in CSS pixels.
const (
	defaultWidth  = 1200
	defaultHeight = 800
	minWidth      = 480
	minHeight     = 480
	unbounded     = 100000 // Wails clamps to the wrong monitor without a maximum
)

// showAnyway bounds how long a window stays hidden when its page does not load.
const showAnyway = 3 * time.Second

// icon is drawn by `make icons` from build/appicon.svg.
//
//go:embed icon.png
var icon []byte

// Options of Run.
type Options struct {
	Service *core.Service
	Assets  fs.FS
	Files   []string // named on the command line, absolute
	Door    *Door    // where later starts hand their files over; nil for none
}

// window is one running window.
type window struct {
	service *core.Service
	bridge  *bridge.Bridge
	host    *host
	door    *Door
	start   core.WindowState
	show    sync.Once
	tell    func(event string, payload any) // what the menu bar says
}

// Run opens the window and returns when it was closed.
func Run(o Options) error {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	w := &window{service: o.Service, host: &host{}, door: o.Door}
	w.tell = w.host.Emit
	w.bridge = bridge.New(ctx, o.Service, w.host)
	defer w.bridge.Close()
	w.bridge.Offer(o.Files)
	theme, language := "", ""
	if !Generating {
		settleGraphics()
		theme, language = w.remembered(ctx)
		system.Shield() // not before: a portal that answers about the theme looks at who asks
	}
	if err := wails.Run(w.options(o, theme, language)); err != nil {
		return fmt.Errorf("run window: %w", err)
	}
	return nil
}

// remembered reads the size of the last window and returns the theme and the
// language to start in.
func (w *window) remembered(ctx context.Context) (theme, language string) {
	w.host.systemTheme = systemTheme()
	theme, language = w.host.systemTheme, systemLanguage()
	preferences, err := w.service.Preferences(ctx)
	if err != nil {
		return theme, language
	}
	w.start = preferences.Window
	if preferences.Theme == "light" || preferences.Theme == "dark" {
		theme = preferences.Theme
	}
	if preferences.Language != "" {
		language = preferences.Language
	}
	return theme, language
}

func (w *window) options(o Options, theme, language string) *options.App {
	width, height := w.start.Width, w.start.Height
	if width < minWidth || height < minHeight {
		width, height = defaultWidth, defaultHeight
	}
	return &options.App{
		Title: product.Name, Width: width, Height: height,
		MinWidth: minWidth, MinHeight: minHeight, MaxWidth: unbounded, MaxHeight: unbounded,
		StartHidden: true, BackgroundColour: background(theme), Menu: w.menuBar(runtime.GOOS, language),
		AssetServer:              &assetserver.Options{Assets: o.Assets, Middleware: w.middleware},
		OnStartup:                w.startup,
		OnDomReady:               func(context.Context) { w.reveal() },
		OnBeforeClose:            w.beforeClose,
		OnShutdown:               w.shutdown,
		Bind:                     w.bridge.Bound(),
		ErrorFormatter:           func(err error) any { return err.Error() },
		EnableDefaultContextMenu: true,
		Logger:                   wailsLog{}, LogLevelProduction: logger.ERROR,
		DragAndDrop: &options.DragAndDrop{
			EnableFileDrop: true, CSSDropProperty: "--wails-drop-target", CSSDropValue: "drop",
		},
		Linux:   &linux.Options{ProgramName: product.Program, Icon: icon, WebviewGpuPolicy: linux.WebviewGpuPolicyNever},
		Windows: &windows.Options{Theme: windows.SystemDefault},
		Mac:     &mac.Options{About: &mac.AboutInfo{Title: product.Name, Icon: icon}, OnFileOpen: func(path string) { w.bridge.Offer([]string{path}) }},
	}
}

// background is the page's own colour, so that nothing flashes at the start.
func background(theme string) *options.RGBA {
	if theme == "dark" {
		return options.NewRGB(0x14, 0x15, 0x1a)
	}
	return options.NewRGB(0xfb, 0xfa, 0xf7)
}

// middleware puts the headers on every answer and takes the sealed files
// before anybody else can answer for them.
func (w *window) middleware(next http.Handler) http.Handler {
	return http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, bridge.AttachmentPath) {
			w.bridge.ServeAttachment(rw, r)
			return
		}
		bridge.SecurePage(rw.Header())
		next.ServeHTTP(rw, r)
	})
}

func (w *window) startup(ctx context.Context) {
	w.host.attach(ctx)
	wails_runtime.OnFileDrop(ctx, func(_, _ int, paths []string) { w.bridge.Offer(paths) })
	w.door.Listen(func(paths []string) {
		w.bridge.Offer(paths)
		w.reveal()
		raise(ctx)
	})
	go watchTheme(ctx, w.host.themed)
	time.AfterFunc(showAnyway, w.reveal)
}

// reveal shows the window the first time it is called; the page can be loaded
// more than once.
func (w *window) reveal() {
	w.show.Do(func() {
		ctx := w.host.context()
		w.fit(ctx)
		wails_runtime.WindowShow(ctx)
		if w.start.Maximised {
			wails_runtime.WindowMaximise(ctx)
		}
	})
}

// fit makes a window no larger than its screen: the last one may have been another.
func (w *window) fit(ctx context.Context) {
	screens, err := wails_runtime.ScreenGetAll(ctx)
	if err != nil {
		return
	}
	for _, one := range screens {
		if one.IsCurrent && (w.start.Width > one.Size.Width || w.start.Height > one.Size.Height) {
			wails_runtime.WindowSetSize(ctx, min(w.start.Width, one.Size.Width), min(w.start.Height, one.Size.Height))
		}
	}
}

// beforeClose remembers the size; it never keeps the window open.
func (w *window) beforeClose(ctx context.Context) bool {
	preferences, err := w.service.Preferences(ctx)
	if err != nil {
		return false
	}
	preferences.Window.Maximised = wails_runtime.WindowIsMaximised(ctx)
	if !preferences.Window.Maximised {
		preferences.Window.Width, preferences.Window.Height = wails_runtime.WindowGetSize(ctx)
	}
	_ = w.service.SavePreferences(ctx, preferences) // a size is not worth a message at the end
	return false
}

func (w *window) shutdown(context.Context) { w.host.detach() }
