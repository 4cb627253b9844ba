package cli_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"keepsake/app"
	"keepsake/backend/importer/importertest/gen"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"keepsake": func() {
			becomeNobody()
			os.Exit(app.Run(os.Args[1:]))
		},
	})
}

// TestScripts runs the command line as a person's script would.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		Setup: func(env *testscript.Env) error {
			env.Setenv("HOME", env.WorkDir)
			env.Setenv("USERPROFILE", env.WorkDir)
			env.Setenv("XDG_CONFIG_HOME", env.WorkDir+"/config")
			env.Setenv("XDG_DATA_HOME", env.WorkDir+"/data")
			env.Setenv("APPDATA", env.WorkDir+"/config") // the same on Windows
			env.Setenv("LOCALAPPDATA", env.WorkDir+"/data")
			env.Setenv("KEEPSAKE_VAULT", env.WorkDir+"/vault")
			env.Setenv("KEEPSAKE_PASSPHRASE_FILE", env.WorkDir+"/pass")
			if err := os.Chmod(filepath.Dir(env.WorkDir), 0o711); err != nil { // for becomeNobody
				return err
			}
			return os.WriteFile(env.WorkDir+"/pass", []byte("correct horse battery staple\n"), 0o600)
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits":     exits,
			"json":      jsonHas,
			"jsonis":    jsonIs,
			"jsonset":   jsonSet,
			"copydir":   copyDir,
			"embeds":    embeds,
			"mkexport":  makeExport,
			"overwrite": overwrite,
			"putline":   putLine,
			"tamper":    tamper,
			"truncated": truncated,
		},
	})
}

// exits CODE CMD ARG… runs a command and demands its exit code.
func exits(ts *testscript.TestScript, _ bool, args []string) {
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	if err := ts.Exec(args[1], args[2:]...); err != nil {
		var exit *exec.ExitError
		if !errors.As(err, &exit) {
			ts.Fatalf("run %s: %v", args[1], err)
		}
		got = exit.ExitCode()
	}
	if got != want {
		ts.Fatalf("exit code %d, want %d\n%s%s", got, want, ts.ReadFile("stdout"), ts.ReadFile("stderr"))
	}
}

// at finds a.b.0.c in the JSON document on standard output; "len" is a length.
func at(ts *testscript.TestScript, path string) (any, bool) {
	var v any
	dec := json.NewDecoder(bytes.NewBufferString(ts.ReadFile("stdout")))
	ts.Check(dec.Decode(&v))
	if dec.More() {
		ts.Fatalf("more than one JSON document on standard output")
	}
	for _, key := range strings.Split(path, ".") {
		switch node := v.(type) {
		case map[string]any:
			next, ok := node[key]
			if !ok {
				return nil, false
			}
			v = next
		case []any:
			if key == "len" {
				v = float64(len(node))
				continue
			}
			i, err := strconv.Atoi(key)
			if err != nil || i >= len(node) {
				return nil, false
			}
			v = node[i]
		default:
			return nil, false
		}
	}
	return v, true
}

func jsonHas(ts *testscript.TestScript, neg bool, args []string) {
	v, ok := at(ts, args[0])
	if full := ok && v != nil && v != "" && v != float64(0); full == neg {
		ts.Fatalf("%s is %v in %s", args[0], v, ts.ReadFile("stdout"))
	}
}

func jsonIs(ts *testscript.TestScript, _ bool, args []string) {
	v, ok := at(ts, args[0])
	if got := fmt.Sprint(v); !ok || got != args[1] {
		ts.Fatalf("%s is %q, want %q\n%s", args[0], got, args[1], ts.ReadFile("stdout"))
	}
}

func jsonSet(ts *testscript.TestScript, _ bool, args []string) {
	v, ok := at(ts, args[1])
	if !ok {
		ts.Fatalf("no %s in %s", args[1], ts.ReadFile("stdout"))
	}
	ts.Setenv(args[0], fmt.Sprint(v))
}

// tamper IN OUT OLD NEW replaces a text that must be there.
func tamper(ts *testscript.TestScript, _ bool, args []string) {
	data := ts.ReadFile(args[0])
	if !strings.Contains(data, args[2]) {
		ts.Fatalf("%s does not contain %q", args[0], args[2])
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), []byte(strings.Replace(data, args[2], args[3], 1)), 0o600))
}

// truncated IN OUT keeps the first two thirds.
func truncated(ts *testscript.TestScript, _ bool, args []string) {
	data := ts.ReadFile(args[0])
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), []byte(data[:2*len(data)/3]), 0o600))
}

// copyDir FROM TO copies a folder with all that is in it.
func copyDir(ts *testscript.TestScript, _ bool, args []string) {
	ts.Check(os.CopyFS(ts.MkAbs(args[1]), os.DirFS(ts.MkAbs(args[0]))))
}

// overwrite FILE PATTERN… writes a file over all whose names match.
func overwrite(ts *testscript.TestScript, _ bool, args []string) {
	data := ts.ReadFile(args[0])
	for _, pattern := range args[1:] {
		found, err := filepath.Glob(ts.MkAbs(pattern))
		ts.Check(err)
		if len(found) == 0 {
			ts.Fatalf("nothing is named %s", pattern)
		}
		for _, path := range found {
			ts.Check(os.WriteFile(path, []byte(data), 0o600))
		}
	}
}

// putLine FILE TEXT writes one line.
func putLine(ts *testscript.TestScript, _ bool, args []string) {
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(args[1]+"\n"), 0o600))
}

// makeParts writes a Claude export as the files a person downloads.
func makeParts(ts *testscript.TestScript, dir string) {
	parts, _ := gen.ClaudeZips(gen.Parts, gen.ClaudeOptions{Seed: 1})
	ts.Check(os.MkdirAll(ts.MkAbs(dir), 0o700))
	for _, p := range parts {
		ts.Check(os.WriteFile(filepath.Join(ts.MkAbs(dir), p.Name), p.Data, 0o600))
	}
}

// breakOff is an export in which something else than JSON stands after the
// first n conversations.
func breakOff(ts *testscript.TestScript, n int) []byte {
	files, _ := gen.ChatGPTFiles(gen.ChatGPTOptions{Seed: 1})
	for i, f := range files {
		if f.Name != "conversations.json" {
			continue
		}
		var talks []json.RawMessage
		ts.Check(json.Unmarshal(f.Data, &talks))
		text, err := json.Marshal(talks[:n])
		ts.Check(err)
		files[i].Data = append(bytes.TrimSuffix(text, []byte("]")), bytes.Repeat([]byte(" <broken> "), 50)...)
	}
	return gen.Zip(files)
}

// makeExport KIND FILE writes a generated export.
func makeExport(ts *testscript.TestScript, _ bool, args []string) {
	var data []byte
	switch args[0] {
	case "chatgpt":
		data, _ = gen.ChatGPT(gen.ChatGPTOptions{Seed: 1})
	case "claude":
		data, _ = gen.Claude(gen.ClaudeOptions{Seed: 1})
	case "chatgpt-later":
		data, _ = gen.ChatGPT(gen.ChatGPTOptions{Seed: 1, Later: true})
	case "broken-chatgpt":
		data = breakOff(ts, 5)
	case "damaged-chatgpt":
		data = breakOff(ts, 0)
	case "two-providers":
		files, _ := gen.ChatGPTFiles(gen.ChatGPTOptions{Seed: 1})
		table, _ := gen.Copilot(1, 3, "a")
		data = gen.Zip(append(files, gen.File{Name: "copilot-activity-history.csv", Data: table}))
	case "claude-parts":
		makeParts(ts, args[1])
		return
	case "empty":
		data = gen.Zip([]gen.File{{Name: "conversations.json", Data: []byte("[]\n")}})
	default:
		ts.Fatalf("no generator for %s", args[0])
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), data, 0o600))
}
