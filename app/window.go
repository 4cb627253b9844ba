//go:build !headless

package app

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"

	"keepsake/app/desktop"
	"keepsake/app/terminal"
	"keepsake/backend/core"
	"keepsake/backend/fault"
	"keepsake/backend/product"
	"keepsake/frontend"
)

// mustOpenWindow is set in the build that writes the page's bindings.
const mustOpenWindow = desktop.Generating

// window opens the window with the files named, or hands them to the one that
// is open already.
func window(args []string) int {
	if mustOpenWindow {
		args = nil
	} else if !desktop.HasDisplay() {
		terminal.Line(os.Stderr, product.Program+": there is no display here. `keepsake serve` shows the same page in a browser, `keepsake help` lists the commands.")
		return 1
	} else {
		desktop.WipeWhatIsFreed()
	}
	err := openWindow(absolute(args))
	if err == nil || errors.Is(err, desktop.ErrHandedOver) {
		return 0
	}
	f := fault.From(err)
	terminal.Line(os.Stderr, product.Program+": %s %s", f.Message(), f.Advice())
	return 70
}

func openWindow(files []string) error {
	p, err := places(os.Getenv("KEEPSAKE_VAULT"))
	if err != nil {
		return err
	}
	var door *desktop.Door
	if !mustOpenWindow {
		if os.Getenv("KEEPSAKE_VAULT") == "" {
			if p.vault, err = lastVault(p); err != nil {
				return err
			}
		}
		if door, err = desktop.OpenDoor(p.vault, files); err != nil {
			return err
		}
		defer door.Close()
	}
	service, err := serviceAt(p, true)
	if err != nil {
		return err
	}
	defer service.Close()
	if !mustOpenWindow {
		ctx, stop := context.WithCancel(context.Background())
		defer stop()
		endInOrder(service)
		watch(ctx, service)
	}
	return desktop.Run(desktop.Options{Service: service, Assets: frontend.Assets(), Files: files, Door: door})
}

// absolute makes paths mean the same in another process's folder.
func absolute(paths []string) []string {
	all := make([]string, 0, len(paths))
	for _, path := range paths {
		if abs, err := filepath.Abs(path); err == nil {
			all = append(all, abs)
		}
	}
	return all
}

// endWithin is how long a window may take to end when the system asks for it.
const endWithin = 5 * time.Second

// endInOrder closes the vault before the system ends the program. Wails listens
// only once its window is made; a signal that comes earlier, or that it misses,
// would end the program on the spot.
func endInOrder(service *core.Service) {
	asked := make(chan os.Signal, 1)
	signal.Notify(asked, os.Interrupt, syscall.SIGTERM)
	go func() {
		<-asked
		time.Sleep(endWithin)
		_ = service.Close() // it locks the vault, and there is nobody to tell
		os.Exit(0)
	}()
}
