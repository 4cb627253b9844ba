package desktop

import (
	"strings"

	"github.com/wailsapp/wails/v2/pkg/menu"
	"github.com/wailsapp/wails/v2/pkg/menu/keys"
	wails_runtime "github.com/wailsapp/wails/v2/pkg/runtime"

	"keepsake/app/bridge"
)

// menuBar is the menu bar as Wails draws it; nil where there is none. What is
// chosen is told to the page, which knows whether it can be done.
func (w *window) menuBar(goos, language string) *menu.Menu {
	shown := barOf(goos, language)
	if shown == nil {
		return nil
	}
	made := menu.NewMenu()
	for _, one := range shown {
		made.Append(w.menuOf(one, goos))
	}
	return made
}

func (w *window) menuOf(one menuOf, goos string) *menu.MenuItem {
	switch one.role {
	case ofApp:
		return menu.AppMenu()
	case ofEdit:
		return menu.EditMenu()
	case ofWindow:
		return menu.WindowMenu()
	}
	lines := menu.NewMenu()
	for _, l := range one.lines {
		if l == (line{}) {
			lines.AddSeparator()
			continue
		}
		text, key := keyed(l, goos)
		lines.AddText(text, key, func(*menu.CallbackData) { w.ordered(l.command) })
	}
	return menu.SubMenu(one.title, lines)
}

// keyed says how a line shows its keys. On macOS the menu bar takes only what
// the page has left. On Windows the page and the menu bar would both act, so
// there the keys are words beside the line, behind the tab that sets them apart.
func keyed(l line, goos string) (string, *keys.Accelerator) {
	switch {
	case l.keys == "":
		return l.text, nil
	case goos == "darwin":
		return l.text, accelerator(l.keys)
	}
	return l.text + "\t" + strings.NewReplacer("mod", "Ctrl", "shift", "Shift").Replace(capitals(l.keys)), nil
}

// capitals writes the last key as it stands on the keyboard: "mod+E".
func capitals(chord string) string {
	at := strings.LastIndexByte(chord, '+') + 1
	return chord[:at] + strings.ToUpper(chord[at:])
}

// accelerator is a chord that holds mod; of one key alone there is none, it
// would be taken from what is being typed.
func accelerator(chord string) *keys.Accelerator {
	held := strings.Split(chord, "+")
	key := held[len(held)-1]
	switch strings.Join(held[:len(held)-1], "+") {
	case "mod":
		return keys.CmdOrCtrl(key)
	case "mod+shift":
		return keys.Combo(key, keys.CmdOrCtrlKey, keys.ShiftKey)
	}
	return nil
}

// ordered does what was chosen.
func (w *window) ordered(command string) {
	if command == quit {
		if ctx := w.host.context(); ctx != nil {
			wails_runtime.Quit(ctx)
		}
		return
	}
	w.tell(bridge.EventMenu, bridge.MenuView{Command: command})
}
