package clients

import (
	"archive/zip"
	"encoding/json"
	"io"
	"runtime"

	"keepsake/backend/atomicfile"
	"keepsake/backend/product"
)

// Bundle is an extension for Claude Desktop (.mcpb) that starts a program which is installed. It
// holds no copy of that: an agent is answered by the window, and the two have to be of one version.
type Bundle struct {
	Version  string
	Commands map[string]Entry // by system, as runtime.GOOS names it
}

// bundled is the client that reads bundles.
const bundled = "claude-desktop"

// BundleName is what the file of a bundle is called.
const BundleName = product.Program + ".mcpb"

// BundleHere is the bundle that starts the program of this computer.
func BundleHere(version string) (Bundle, error) {
	client, err := Named(bundled)
	if err != nil {
		return Bundle{}, err
	}
	entry, err := client.EntryHere("")
	return Bundle{version, map[string]Entry{runtime.GOOS: entry}}, err
}

// InstalledBundle is the bundle that starts the program where packages put it. ${HOME} is what
// Claude Desktop puts there.
func InstalledBundle(version string) Bundle {
	args := []string{"mcp", "--client", bundled}
	return Bundle{version, map[string]Entry{
		"linux":   {"/usr/bin/keepsake-cli", args},
		"darwin":  {"/Applications/Keepsake.app/Contents/MacOS/keepsake-cli", args},
		"windows": {`${HOME}\AppData\Local\Programs\Keepsake\keepsake-cli.exe`, args},
	}}
}

// manifest is the part of manifest.json (version 0.3) that a bundle needs.
type manifest struct {
	ManifestVersion  string   `json:"manifest_version"`
	Name             string   `json:"name"`
	DisplayName      string   `json:"display_name"`
	Version          string   `json:"version"`
	Description      string   `json:"description"`
	LongDescription  string   `json:"long_description"`
	Author           author   `json:"author"`
	License          string   `json:"license"`
	Server           server   `json:"server"`
	ToolsGenerated   bool     `json:"tools_generated"`
	PromptsGenerated bool     `json:"prompts_generated"`
	Compatibility    platform `json:"compatibility"`
}

type author struct {
	Name string `json:"name"`
}

type platform struct {
	Platforms []string `json:"platforms"`
}

type server struct {
	Type       string `json:"type"`
	EntryPoint string `json:"entry_point"`
	Config     config `json:"mcp_config"`
}

type config struct {
	Command   string            `json:"command"`
	Args      []string          `json:"args"`
	Overrides map[string]config `json:"platform_overrides,omitempty"`
}

// nodeNames are what manifests call systems.
var nodeNames = []struct{ system, name string }{{"linux", "linux"}, {"darwin", "darwin"}, {"windows", "win32"}}

// readMe is beside the manifest, which has to name a file of the bundle as its beginning.
const readMe = `Keepsake for Claude Desktop

This extension starts the Keepsake that is installed on this computer and holds no copy of it.
What Claude may read is asked in Keepsake when it asks for the first time.
`

func (b Bundle) manifest() manifest {
	m := manifest{
		ManifestVersion: "0.3", Name: product.Program, DisplayName: product.Name, Version: b.Version,
		Description:     "Ask Keepsake for what it keeps about you.",
		LongDescription: "Claude asks the Keepsake on this computer for memories and proposes new ones. Keepsake has to be installed and open. It asks you what Claude may see before it tells anything.",
		Author:          author{product.Name}, License: "Apache-2.0", ToolsGenerated: true, PromptsGenerated: true,
		Server: server{Type: "binary", EntryPoint: "README.md"},
	}
	overrides := map[string]config{}
	for _, n := range nodeNames {
		entry, ok := b.Commands[n.system]
		if !ok {
			continue
		}
		overrides[n.name] = config{Command: entry.Command, Args: entry.Args}
		m.Compatibility.Platforms = append(m.Compatibility.Platforms, n.name)
	}
	m.Server.Config = overrides[m.Compatibility.Platforms[0]]
	if len(overrides) > 1 {
		m.Server.Config.Overrides = overrides
	}
	return m
}

// write packs the bundle: the same one is always the same bytes.
func (b Bundle) write(w io.Writer) error {
	text, err := json.MarshalIndent(b.manifest(), "", "  ")
	if err != nil {
		return err
	}
	z := zip.NewWriter(w)
	for _, f := range []struct{ name, text string }{{"manifest.json", string(text) + "\n"}, {"README.md", readMe}} {
		part, err := z.Create(f.name)
		if err != nil {
			return err
		}
		if _, err := io.WriteString(part, f.text); err != nil {
			return err
		}
	}
	return z.Close()
}

// Save writes the bundle into a file, in place of one that is there.
func (b Bundle) Save(path string) error {
	f, err := atomicfile.New(path, 0o644)
	if err != nil {
		return errUnwritable(path, err)
	}
	defer f.Abort()
	if err := b.write(f); err != nil {
		return errUnwritable(path, err)
	}
	if err := f.Commit(); err != nil {
		return errUnwritable(path, err)
	}
	return nil
}
