package clients

import (
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"

	"keepsake/backend/fault"
	"keepsake/backend/product"
)

// entryName is what clients call the server.
const entryName = product.Program

// Entry is how a client starts keepsake mcp.
type Entry struct {
	Command string
	Args    []string
}

// NewEntry is how a client asks the owner of a vault; "" is the vault that was shown last.
func (c Client) NewEntry(program, vaultDir string) (Entry, error) {
	e := Entry{program, []string{"mcp", "--client", c.ID}}
	if vaultDir == "" {
		return e, nil
	}
	dir, err := filepath.Abs(vaultDir)
	e.Args = append(e.Args, "--vault", dir)
	return e, err
}

// EntryHere is how a client starts the program of this computer.
func (c Client) EntryHere(vaultDir string) (Entry, error) {
	program, err := Program()
	if err != nil {
		return Entry{}, err
	}
	return c.NewEntry(program, vaultDir)
}

// Program is the path of the program that clients start: of the two that packages hold the
// console one, or this very one where it is alone.
func Program() (string, error) {
	if _, err := os.Stat("/.flatpak-info"); err == nil {
		return "", fault.New(fault.Unsupported, "client-from-flatpak", "Assistants cannot start a Keepsake that is a Flatpak.").
			Advise("Install Keepsake as a package of the system, or take the archive.")
	}
	started, err := os.Executable()
	if err != nil {
		return "", err
	}
	return consoleProgram(started), nil
}

// consoleProgram looks beside the path by which the program was started before it looks
// where that leads to: a link that a package manager made survives updates.
func consoleProgram(started string) string {
	name := product.Program + "-cli"
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	resolved, err := filepath.EvalSymlinks(started)
	if err != nil {
		resolved = started
	}
	for _, exe := range []string{started, resolved} {
		beside := filepath.Join(filepath.Dir(exe), name)
		if info, err := os.Stat(beside); err == nil && info.Mode().IsRegular() {
			return beside
		}
	}
	return resolved
}

// table is the entry as a decoder reads it.
func (e Entry) table(kind string) map[string]any {
	args := make([]any, len(e.Args))
	for i, a := range e.Args {
		args[i] = a
	}
	t := map[string]any{"command": e.Command, "args": args}
	if kind != "" {
		t["type"] = kind
	}
	return t
}

// isOurs reports an entry that starts Keepsake, wherever that was when it was written.
func isOurs(entry map[string]any) bool {
	command, _ := entry["command"].(string)
	args, _ := entry["args"].([]any)
	return isOurProgram(command) && len(args) > 0 && args[0] == "mcp"
}

// isOurProgram reports the path of a program of Keepsake, whatever system it is of.
func isOurProgram(path string) bool {
	name := strings.TrimSuffix(strings.ToLower(path[strings.LastIndexAny(path, `/\'`)+1:]), ".exe")
	return slices.Contains([]string{product.Program, product.Program + "-cli"}, name)
}

// starts reports an entry that starts the same as e.
func (e Entry) starts(entry map[string]any) bool {
	want := e.table("")
	return reflect.DeepEqual(entry["command"], want["command"]) && reflect.DeepEqual(entry["args"], want["args"])
}
