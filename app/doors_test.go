package app_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"keepsake/backend/core"
)

// doors are where a person can ask for something, each with the packages that
// make it up and the names under which these hold the service.
var doors = map[string]struct {
	packages []string
	service  []string
}{
	"page":    {[]string{"bridge", "web", "desktop"}, []string{"core", "service"}},
	"command": {[]string{"cli"}, []string{"svc", "service"}},
}

// byAgents is why no door for people has what agents call.
const byAgents = "an agent asks for it, through package owner"

// byOwner is why no door for people has what goes on by itself.
const byOwner = "the process that has the vault open calls it when memories or folders change, in package owner"

// byChannel is why no door for people has what commands of another process come through.
const byChannel = "package owner answers commands with it"

// absent says why a door does not have a method. Anything not named here must
// be behind every door, and what is named must really be missing.
var absent = map[string]map[string]string{
	"page": {
		"Close":             "the window ends with the program, which closes the service itself",
		"MakeVectors":       "the background makes them",
		"Grant":             "JoinCircle puts a memory into a circle; what its entity may do beside reading is shown, and given at the command line",
		"SensitiveMemories": "a memory's page names its own topics, and a preview counts those that leave",
		"Retrieve":          "what a search finds by meaning is the same",
		"Detect":            "a plan says more, and the page has a vault whenever it imports",
		"Reread":            "StartReread does it as a job",
		"Import":            "the page starts a job and follows its events, so that it never waits",
		"Relations":         "a memory comes with its relations",
		"MemorySaying":      "Add gives the memory that is there already",
		"WaitForIndex":      "an event tells the page when more can be found",
		"Inspect":           "Verify shows the same on the page",
		"ShowConversation":  "Thread gives a conversation in pieces that stay small",
		"MayCreate":         "the page knows from VaultState whether there is a vault, and offers no choice of costs",
		"MayUnlock":         "an unlock says so itself; the page has asked for nothing else before it",
		"Keygen":            "key files are for scripts; the page signs with the vault's own key",
		"DiffFiles":         "Compare shows the same on the page",
		"PlanMerge":         "the page shows both versions of each memory before it merges",
		"SignFile":          "key files are for scripts; the page signs with the vault's own key",
		"Hash":              "a tool for scripts",
		"Canonicalize":      "a tool for scripts",
		"Convert":           "the page imports and exports, and has a vault for it",
		"Demo":              "TrySample is the page's own way to the sample",
		"EasyToGuess":       "the page estimates while one types, with larger lists",
		"Rotate":            "BeginRotation goes on in the background; events tell how far it is",
		"SettleCopies":      "the keeper makes copies while the window is open",

		"AgentContext":      byAgents,
		"AgentConversation": byAgents,
		"AgentExport":       byAgents,
		"AgentForget":       byAgents,
		"AgentImport":       byAgents,
		"AgentMemories":     byAgents,
		"AgentMemory":       byAgents,
		"AgentPropose":      byAgents,
		"AgentRelate":       byAgents,
		"AgentRetract":      byAgents,
		"AgentRetrieve":     byAgents,
		"AgentSearch":       byAgents,
		"AgentSession":      byAgents,
		"AgentStore":        byAgents,
		"AgentTags":         byAgents,
		"AgentUpdate":       byAgents,
		"MeetAgent":         byAgents,
		"NoteLockedCall":    byAgents,
		"NoteRefusedCall":   byAgents,

		"KeepHandoff": "a file is kept at the command line, where its path is typed",
		"RewriteKept": byOwner,

		"NoteWatching":     byOwner,
		"NoteFiles":        byOwner,
		"WatchedSession":   byOwner,
		"DeriveChannelKey": "a command asks the window, which never asks a command",
		"HoldChannelKey":   byChannel,
		"NoteNoChannelKey": byChannel,

		"LookAhead":     "VaultState begins it; only the bench waits for it",
		"AutoLock":      "the operating system asks for it, through app",
		"WatchPresence": "app starts it beside the door",
	},
	"command": {
		"AgentContext":       byAgents,
		"AgentConversation":  byAgents,
		"AgentConversations": byAgents,
		"AgentExport":        byAgents,
		"AgentForget":        byAgents,
		"AgentImport":        byAgents,
		"AgentMemories":      byAgents,
		"AgentMemory":        byAgents,
		"AgentPropose":       byAgents,
		"AgentRelate":        byAgents,
		"AgentRetract":       byAgents,
		"AgentRetrieve":      byAgents,
		"AgentSearch":        byAgents,
		"AgentSession":       byAgents,
		"AgentStore":         byAgents,
		"AgentTags":          byAgents,
		"AgentUpdate":        byAgents,
		"MeetAgent":          byAgents,
		"NoteLockedCall":     byAgents,
		"NoteRefusedCall":    byAgents,

		"RewriteKept":      byOwner,
		"HoldChannelKey":   byChannel,
		"NoteNoChannelKey": byChannel,

		"NoteWatching":   byOwner,
		"NoteFiles":      byOwner,
		"WatchedSession": byOwner,

		"LeaveImport":    "nobody is told unasked; imports marks what broke off",
		"ImportAgain":    "a command is given its files",
		"Redo":           "a command undoes one change; what it undid is done again by the command that did it",
		"SavedViews":     "a script keeps its own queries",
		"SaveView":       "a script keeps its own queries",
		"DropView":       "a script keeps its own queries",
		"Graph":          "a picture needs a page; show lists the relations of a memory",
		"Proposing":      "propose on and off say what is so",
		"NearMemories":   "search finds what a proposal is like",
		"Agree":          "import's own flags say the same",
		"Compare":        "diff compares files; import --dry-run says how a file stands to the vault",
		"LookAhead":      "an unlock looks by itself, beside the key derivation",
		"BeginRotation":  "rotate begins and ends it",
		"Rotation":       "rotate tells it while it runs",
		"PauseRotation":  "Ctrl+C stops rotate, and rotate goes on with it",
		"ResumeRotation": "rotate goes on with what was stopped",
		"HasKeychain":    "keychain allow says so where there is none",
		"Select":         "--vault names the folder",
		"Lock":           "every command ends with the vault locked",
		"StartReread":    "a command waits for its import",
		"StartImport":    "a command waits for its import",
		"CancelJob":      "Ctrl+C stops a command",
		"ImportReport":   "import prints it, imports lists them all",
		"Subscribe":      "a command gets the progress of its own import directly",
		"DropUpload":     "a command names a path",
		"EstimateUnlock": "init says what it chose",
		"Facets":         "list filters, and counts in its total",
		"LastChange":     "undo says what it took back",
		"Thread":         "show prints the whole conversation, or with --active its active path",
		"MessagePart":    "show prints the whole conversation",
		"FindInThread":   "search finds words, and what show prints can be looked through",
		"OpenAttachment": "attachments leave with an export",
		"TrySample":      "demo does more",
		"AutoLock":       "every command ends with the vault locked",
		"WatchPresence":  "every command ends with the vault locked",
		"Called":         "every command ends with the vault locked",
		"Present":        "every command ends with the vault locked",
		"KeepDraft":      "a command writes a memory in one step",
		"Drafts":         "a command writes a memory in one step",
		"DropDraft":      "a command writes a memory in one step",
		"ExportLog":      "audit --json prints the same",
		"SuggestedName":  "a command is told the name",
		"PlanImport":     "import --dry-run asks Import itself, which counts the same without writing",
	},
}

func TestEveryDoorHasEveryMethodOrAReason(t *testing.T) {
	service := reflect.TypeFor[*core.Service]()
	for name, door := range doors {
		called := callsOf(t, door.packages, door.service)
		known := map[string]bool{}
		for i := range service.NumMethod() {
			method := service.Method(i).Name
			known[method] = true
			_, excused := absent[name][method]
			if !called[method] && !excused {
				t.Errorf("%s: nothing calls %s, and no reason says why", name, method)
			}
			if called[method] && excused {
				t.Errorf("%s: %s has a reason to be absent and is there", name, method)
			}
		}
		for method := range absent[name] {
			if !known[method] {
				t.Errorf("%s: a reason is given for %s, which does not exist", name, method)
			}
		}
	}
}

// callsOf finds the methods that are called on something named like the service.
func callsOf(t *testing.T, packages, names []string) map[string]bool {
	t.Helper()
	called := map[string]bool{}
	for _, dir := range packages {
		err := filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
			if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return err
			}
			file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
			if err != nil {
				return err
			}
			ast.Inspect(file, func(n ast.Node) bool {
				if call, ok := n.(*ast.SelectorExpr); ok && slices.Contains(names, lastName(call.X)) {
					called[call.Sel.Name] = true
				}
				return true
			})
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return called
}

func lastName(x ast.Expr) string {
	switch x := x.(type) {
	case *ast.Ident:
		return x.Name
	case *ast.SelectorExpr:
		return x.Sel.Name
	}
	return ""
}
