package desktop

// A bar is the menu bar as plain data: on every platform the same for everybody
// who looks, so that it can be looked at here.
type bar []menuOf

// menuOf is one menu, with lines of its own or made by the system.
type menuOf struct {
	title string
	role  role
	lines []line
}

// role names a menu that the system makes itself, in its own language.
type role int

const (
	ours     role = iota
	ofApp         // about, hide, quit
	ofEdit        // undo, cut, copy, paste, select all
	ofWindow      // minimise, zoom
)

// line is something to choose; the zero line parts what stands above it from
// what stands below.
type line struct {
	command string // one of the page's palette, or quit
	text    string
	keys    string // as the page writes them: "mod+shift+f"; "" for none
}

// quit is the one command that is no matter of the page.
const quit = "quit"

// barOf is the menu bar on goos in language: "pt-BR" or else English. Linux has
// none (docs/decisions/0050).
func barOf(goos, language string) bar {
	say := english
	if language == "pt-BR" {
		say = portuguese
	}
	of := func(command, keys string) line { return line{command, say[command], keys} }
	opens := func(command, keys string) line { return line{command, say[command] + "…", keys} }
	file := menuOf{title: say["file"], lines: []line{
		of("new", "mod+n"), {},
		opens("import", "mod+i"), opens("export", "mod+e"), opens("verify", ""), {},
		of("lock", "mod+l"), of("settings", "mod+,"),
	}}
	edit := menuOf{title: say["edit"], lines: []line{of("undo", "mod+z"), of("redo", "mod+shift+z")}}
	view := menuOf{title: say["view"], lines: []line{
		of("portrait", "mod+1"), of("library", "mod+2"), of("conversations", "mod+3"), of("inbox", "mod+4"), of("graph", "mod+5"), of("insights", "mod+6"), of("todos", ""), of("search", "mod+shift+f"), {},
		of("light", ""), of("dark", ""), of("system", ""),
	}}
	help := menuOf{title: say["help"], lines: []line{of("guides", ""), of("keys", "?"), of("about", "")}}
	switch goos {
	case "darwin":
		return bar{{role: ofApp}, file, {role: ofEdit}, view, {role: ofWindow}, help}
	case "windows":
		file.lines = append(file.lines, line{}, of(quit, ""))
		return bar{file, edit, view, help}
	}
	return nil
}

// What the page calls the same thing it is called here; a test compares them.
var (
	english = map[string]string{
		"file": "File", "edit": "Edit", "view": "View", "help": "Help", quit: "Quit",
		"new": "New memory", "import": "Import", "export": "Export signed PAM", "verify": "Verify", "lock": "Lock the vault", "settings": "Settings",
		"undo": "Undo the last change", "redo": "Redo what was undone",
		"portrait": "Portrait", "library": "Library", "conversations": "Conversations", "inbox": "Inbox", "todos": "Tasks", "graph": "Graph", "insights": "Insights", "search": "Search",
		"light": "Light theme", "dark": "Dark theme", "system": "Theme of the system",
		"guides": "How to get your export", "keys": "Keys", "about": "About Keepsake",
	}
	portuguese = map[string]string{
		"file": "Arquivo", "edit": "Editar", "view": "Exibir", "help": "Ajuda", quit: "Sair",
		"new": "Nova memória", "import": "Importar", "export": "Exportar PAM assinado", "verify": "Verificar", "lock": "Bloquear o cofre", "settings": "Configurações",
		"undo": "Desfazer a última alteração", "redo": "Refazer o que foi desfeito",
		"portrait": "Retrato", "library": "Biblioteca", "conversations": "Conversas", "inbox": "Sugestões", "todos": "Tarefas", "graph": "Grafo", "insights": "Panorama", "search": "Busca",
		"light": "Tema claro", "dark": "Tema escuro", "system": "Tema do sistema",
		"guides": "Como obter a sua exportação", "keys": "Teclas", "about": "Sobre o Keepsake",
	}
)
