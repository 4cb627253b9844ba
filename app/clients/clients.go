package clients

import (
	"cmp"
	"os"
	"path/filepath"
	"runtime"

	"keepsake/backend/fault"
)

// Client is an assistant on this computer that starts servers as its settings say.
type Client struct {
	ID   string // what keepsake mcp --client is given, and so the name of the agent
	Name string
	file func(Places) string
	form syntax
}

// Places is where a system has the folders of this person.
type Places struct {
	System string // as runtime.GOOS names it
	Home   string
	Config string // where programs keep settings, as os.UserConfigDir says
	Getenv func(string) string
}

// Here are the places of the person who runs this program.
func Here(getenv func(string) string) (Places, error) {
	home, err := os.UserHomeDir()
	if err != nil {
		return Places{}, noHome(err)
	}
	config, err := os.UserConfigDir()
	if err != nil {
		return Places{}, noHome(err)
	}
	return Places{runtime.GOOS, home, config, getenv}, nil
}

func noHome(cause error) error {
	return fault.New(fault.NotFound, "client-no-home", "This account has no home folder, where assistants keep their settings.").Because(cause)
}

// All lists the clients in the order in which people are shown them.
func All() []Client {
	const servers = "mcpServers"
	return []Client{
		{"claude-desktop", "Claude Desktop", inConfig("Claude", "claude_desktop_config.json"), jsonSyntax{servers, ""}},
		{"claude-code", "Claude Code", inHomeOr("CLAUDE_CONFIG_DIR", "", ".claude.json"), jsonSyntax{servers, ""}},
		{"cursor", "Cursor", inHome(".cursor", "mcp.json"), jsonSyntax{servers, ""}},
		{"vscode", "VS Code", inConfig("Code", "User", "mcp.json"), jsonSyntax{"servers", "stdio"}},
		{"codex", "Codex", inHomeOr("CODEX_HOME", ".codex", "config.toml"), tomlSyntax{"mcp_servers"}},
		{"gemini-cli", "Gemini CLI", inHome(".gemini", "settings.json"), jsonSyntax{servers, ""}},
		{"antigravity", "Antigravity", inHome(".gemini", "config", "mcp_config.json"), jsonSyntax{servers, ""}},
		{"lm-studio", "LM Studio", inHome(".lmstudio", "mcp.json"), jsonSyntax{servers, ""}},
		{"zed", "Zed", zedSettings, jsonSyntax{"context_servers", ""}},
	}
}

// Named is the client with an id.
func Named(id string) (Client, error) {
	for _, c := range All() {
		if c.ID == id {
			return c, nil
		}
	}
	return Client{}, fault.New(fault.NotFound, "client-unknown", "Keepsake does not know how to connect an assistant called {name}.").
		With("name", id).Advise("keepsake agents connect lists those that it knows.")
}

// Other is an assistant that Keepsake does not know, under a name: only its Snippet can be had, in
// the form that most clients read.
func Other(name string) Client {
	return Client{ID: name, Name: name, form: jsonSyntax{"mcpServers", ""}}
}

// File is where the client keeps its settings, whether it is installed or not.
func (c Client) File(p Places) string { return c.file(p) }

// Snippet is a file with nothing in it but the entry.
func (c Client) Snippet(e Entry) string { return c.form.whole(e) }

func inHome(path ...string) func(Places) string {
	return func(p Places) string { return filepath.Join(p.Home, filepath.Join(path...)) }
}

func inConfig(path ...string) func(Places) string {
	return func(p Places) string { return filepath.Join(p.Config, filepath.Join(path...)) }
}

// inHomeOr is a file of a folder that a variable names, and that is below the home folder otherwise.
func inHomeOr(variable, folder, name string) func(Places) string {
	return func(p Places) string {
		return filepath.Join(cmp.Or(p.Getenv(variable), filepath.Join(p.Home, folder)), name)
	}
}

func zedSettings(p Places) string {
	switch p.System {
	case "windows":
		return filepath.Join(p.Config, "Zed", "settings.json")
	case "darwin":
		return filepath.Join(p.Home, ".config", "zed", "settings.json")
	}
	return filepath.Join(p.Config, "zed", "settings.json")
}
