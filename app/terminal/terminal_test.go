package terminal_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"keepsake/app/terminal"
)

type (
	named  string
	titled struct{ Title string }
	spoken struct{ text string }
)

func (s spoken) String() string { return s.text }

// Promise (L2): an argument of no kind makes a line of its own, or acts on a terminal.
func TestNoArgumentMakesALine(t *testing.T) {
	const bad = "a\x1b[31m\r\nkeepsake: forged\nb\rc"
	kinds := []any{
		bad, named(bad), errors.New(bad), spoken{bad}, &spoken{bad}, []byte(bad), []string{bad}, []named{bad}, map[named]named{bad: bad}, titled{bad}, &titled{bad},
		struct{ error }{errors.New(bad)}, [1]string{bad}, new(any), any(named(bad)), []any{named(bad)}, []error{errors.New(bad)},
	}
	verbs := []string{"%s", "%v", "%+v", "%-40s", "%.60s", "%[1]s"}
	for _, kind := range kinds {
		for _, verb := range verbs {
			var b strings.Builder
			terminal.Line(&b, "say "+verb+".", kind)
			if line := b.String(); strings.Count(line, "\n") != 1 || strings.ContainsAny(line, "\x1b\r") {
				t.Errorf("%s of a %T prints %q", verb, kind, line)
			}
		}
	}
	if got := terminal.Sentence("%5d %5.1f %t %x %q %d%%", 3, 2.5, true, 255, "a", []int{1, 2}); got != `    3   2.5 true ff "a" [1 2]%` {
		t.Errorf("numbers are set as %q", got)
	}
	t.Logf("%d kinds, %d ways each", len(kinds), len(verbs))
}

func TestWriters(t *testing.T) {
	const text = "é\x1b[31m\u202e\U000e0041\xff ok\n"
	for size := 1; size < 6; size++ {
		var plain, quoted strings.Builder
		p, q := terminal.Writer(&plain), terminal.JSON(&quoted)
		for piece := range slices.Chunk([]byte(text), size) {
			_, _ = p.Write(piece)
			_, _ = q.Write(piece)
		}
		if got, want := plain.String(), "é␣[31m␦␦\ufffd ok\n"; got != want {
			t.Errorf("in pieces of %d: %q, want %q", size, got, want)
		}
		if got, want := quoted.String(), "é\\u001b[31m\\u202e\\udb40\\udc41\ufffd ok\n"; got != want {
			t.Errorf("in pieces of %d: %q, want %q", size, got, want)
		}
	}
}

// Promise (L2): what is printed goes through this package, in the whole program.
func TestTheTerminalHasOnePlace(t *testing.T) {
	prints := regexp.MustCompile(`\bos\.Std(out|err)\b|\benv\.Std(out|err)\b|\bfmt\.Print|\bprint(ln)?\([^0-9]|\blog\.[A-Z]`)
	// Lines that reach for standard output or error by themselves, and why nothing from
	// outside gets there as it is.
	ours := []string{
		`app/app\.go: .*log\.SetOutput\(terminal\.Writer\(`,
		`app/app\.go: .*Stdin: os\.Stdin, Stdout: os\.Stdout, Stderr: os\.Stderr`, // handed to the command line
		`app/window(_headless)?\.go: .*terminal\.Line\(os\.Stderr, `,
		`app/cli/output\.go: `,
		`app/cli/[a-z]+\.go: .*terminal\.(Writer|JSON)\((d\.)?env\.Std`,
		`app/cli/import\.go: .*isTerminal\(d\.env\.Stderr\)`,
		`app/cli/signers\.go: .*aside\.env\.Stdout = d\.env\.Stderr`,
		`app/cli/agents\.go: .*d\.env\.ServeMCP\(`,           // a protocol, read by a program
		`app/app\.go: .*log\.Printf\("Assistants`,            // package log, whose output is set above
		`app/cli/destination\.go: `,                          // the bytes of a file, never to a terminal
		`app/cli/canonicalize\.go: `,                         // its answer is data: the bytes of RFC 8785
		`app/cli/bench\.go: .*bench\.Child\(`,                // numbers, read by the process that started it
		`app/desktop/log\.go: `,                              // package log, whose output is set above
		`backend/bench/peer\.go: .*cmd\.Stderr = os\.Stderr`, // of a program that is measured
	}
	allowed := regexp.MustCompile("^(" + strings.Join(ours, "|") + ")")
	files := 0
	for _, room := range []string{"app", "backend"} {
		err := filepath.WalkDir(filepath.Join("..", "..", room), func(path string, _ fs.DirEntry, err error) error {
			if err != nil || filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go") {
				return err
			}
			files++
			name := strings.TrimPrefix(filepath.ToSlash(path), "../../")
			text, err := os.ReadFile(path)
			for i, line := range strings.Split(string(text), "\n") {
				code, _, _ := strings.Cut(line, "//")
				if prints.MatchString(code) && !allowed.MatchString(name+": "+line) {
					t.Errorf("%s:%d prints by itself: %s", name, i+1, strings.TrimSpace(line))
				}
			}
			return err
		})
		if err != nil {
			t.Error(err)
		}
	}
	if files < 300 {
		t.Errorf("only %d files", files)
	}
	t.Logf("%d files", files)
}
