package desktop

import (
	"encoding/json"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/wailsapp/wails/v2/pkg/menu"
	"github.com/wailsapp/wails/v2/pkg/menu/keys"

	"keepsake/app/bridge"
)

const page = "../../frontend/src/"

// titles are the menus of a bar, those of the system by their role.
func titles(b bar) []string {
	var all []string
	for _, one := range b {
		all = append(all, one.title+[]string{"", "<app>", "<edit>", "<window>"}[one.role])
	}
	return all
}

func TestEveryPlatformHasTheMenusItIsUsedTo(t *testing.T) {
	for _, c := range []struct {
		goos, language string
		want           []string
	}{
		{"darwin", "", []string{"<app>", "File", "<edit>", "View", "<window>", "Help"}},
		{"darwin", "pt-BR", []string{"<app>", "Arquivo", "<edit>", "Exibir", "<window>", "Ajuda"}},
		{"windows", "en", []string{"File", "Edit", "View", "Help"}},
		{"windows", "pt-BR", []string{"Arquivo", "Editar", "Exibir", "Ajuda"}},
		{"linux", "pt-BR", nil},
	} {
		if got := titles(barOf(c.goos, c.language)); !slices.Equal(got, c.want) {
			t.Errorf("%s in %q: %q, want %q", c.goos, c.language, got, c.want)
		}
	}
}

// keyOf is the page's text for a command, where it has one under another name.
var keyOf = map[string]string{
	"new": "library.new", "export": "shell.export", "lock": "shell.lock", "undo": "keys.does.mod+z", "redo": "keys.does.mod+shift+z",
	"light": "palette.light", "dark": "palette.dark", "system": "palette.system", "about": "palette.about", "guides": "import.guide.title", "keys": "keys.title",
}

func TestTheMenusSayWhatThePageSays(t *testing.T) {
	for language, file := range map[string]string{"en": "en.json", "pt-BR": "pt-BR.json"} {
		data, err := os.ReadFile(page + "lib/i18n/" + file)
		if err != nil {
			t.Fatal(err)
		}
		var texts map[string]string
		if err := json.Unmarshal(data, &texts); err != nil {
			t.Fatal(err)
		}
		for _, goos := range []string{"darwin", "windows"} {
			for _, one := range barOf(goos, language) {
				for _, l := range one.lines {
					if l == (line{}) || l.command == quit {
						continue
					}
					key := keyOf[l.command]
					if key == "" {
						key = "screen." + l.command
					}
					if want := texts[key]; want == "" || strings.TrimSuffix(l.text, "…") != want {
						t.Errorf("%s: the menu says %q, the page %q (%s)", language, l.text, want, key)
					}
				}
			}
		}
	}
}

func TestEveryLineIsACommandOfThePageWithItsKeys(t *testing.T) {
	source := read(t, "routes/commands.ts") + read(t, "routes/screens.ts")
	shell := read(t, "routes/Shell.svelte")
	for _, goos := range []string{"darwin", "windows"} {
		seen := map[string]bool{}
		for _, one := range barOf(goos, "en") {
			for _, l := range one.lines {
				if l == (line{}) || l.command == quit {
					continue
				}
				if !regexp.MustCompile(`(id|screen): '` + l.command + `'`).MatchString(source) {
					t.Errorf("the page has no command %q", l.command)
				}
				if l.keys != "" && !strings.Contains(shell, "'"+l.keys+"': ") {
					t.Errorf("%s does nothing on the page, but stands beside %q", l.keys, l.text)
				}
				if seen[l.command] || (l.keys != "" && seen[l.keys]) {
					t.Errorf("%s: %q or its keys stand there twice", goos, l.text)
				}
				seen[l.command], seen[l.keys] = true, true
			}
		}
	}
}

func read(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile(page + name)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func TestKeysAreShownAsThePlatformShowsThem(t *testing.T) {
	for _, c := range []struct {
		chord, goos, text string
		key               *keys.Accelerator
	}{
		{"mod+e", "windows", "Do\tCtrl+E", nil},
		{"mod+shift+f", "windows", "Do\tCtrl+Shift+F", nil},
		{"?", "windows", "Do\t?", nil},
		{"", "windows", "Do", nil},
		{"mod+,", "darwin", "Do", keys.CmdOrCtrl(",")},
		{"mod+shift+f", "darwin", "Do", keys.Combo("f", keys.CmdOrCtrlKey, keys.ShiftKey)},
		{"?", "darwin", "Do", nil},
	} {
		text, key := keyed(line{"do", "Do", c.chord}, c.goos)
		if text != c.text || (key == nil) != (c.key == nil) || (key != nil && (key.Key != c.key.Key || !slices.Equal(key.Modifiers, c.key.Modifiers))) {
			t.Errorf("%s on %s: %q %v, want %q %v", c.chord, c.goos, text, key, c.text, c.key)
		}
	}
}

func TestWhatIsChosenIsToldToThePage(t *testing.T) {
	var told []string
	w := &window{tell: func(name string, payload any) {
		if name == bridge.EventMenu {
			told = append(told, payload.(bridge.MenuView).Command)
		}
	}, host: &host{}}
	for _, goos := range []string{"darwin", "windows"} {
		told = nil
		var want []string
		for _, one := range barOf(goos, "en") {
			for _, l := range one.lines {
				if l != (line{}) && l.command != quit {
					want = append(want, l.command)
				}
			}
		}
		for _, item := range w.menuBar(goos, "en").Items {
			if item.SubMenu == nil {
				continue
			}
			for _, l := range item.SubMenu.Items {
				if l.Type == menu.TextType {
					l.Click(&menu.CallbackData{MenuItem: l})
				}
			}
		}
		if !slices.Equal(told, want) {
			t.Errorf("%s: the page was told %q, want %q", goos, told, want)
		}
	}
	if w.menuBar("linux", "en") != nil {
		t.Error("Linux got a menu bar")
	}
}

func TestMenusSpeakTheLanguageOfTheDesktop(t *testing.T) {
	for tag, want := range map[string]string{"pt-BR": "pt-BR", "pt_PT": "pt-BR", "en-US": "", "de": "", "": ""} {
		if got := spoken(tag); got != want {
			t.Errorf("%q: %q, want %q", tag, got, want)
		}
	}
	if spoken() != "" {
		t.Error("nothing is no language")
	}
}
