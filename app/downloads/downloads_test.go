package downloads_test

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"
	"time"

	"keepsake/app/clients"
	"keepsake/app/downloads"
	"keepsake/backend/core"
	"keepsake/backend/importer/all"
	"keepsake/backend/importer/importertest/gen"
)

// home is a downloads folder and a vault that has it watched.
type home struct {
	*core.Service
	t      *testing.T
	folder string
	now    time.Time // of the vault
}

func newHome(t *testing.T) *home {
	t.Helper()
	h := &home{t: t, folder: t.TempDir(), now: time.Now().Add(-time.Hour)}
	svc, err := core.New(core.Config{VaultDir: filepath.Join(t.TempDir(), "vault"), ScratchDir: t.TempDir(), Importers: all.Importers(), Now: func() time.Time { return h.now }})
	if err != nil {
		t.Fatal(err)
	}
	h.Service = svc
	t.Cleanup(func() { _ = svc.Close() })
	if _, err := svc.CreateVault(t.Context(), []byte("correct horse battery staple"), "test"); err != nil {
		t.Fatal(err)
	}
	return h
}

// put writes a file as it was some minutes ago.
func (h *home) put(name string, data []byte, minutes int) string {
	h.t.Helper()
	path := filepath.Join(h.folder, name)
	if err := os.WriteFile(path, data, 0o600); err != nil {
		h.t.Fatal(err)
	}
	then := time.Now().Add(-time.Duration(minutes) * time.Minute)
	if err := os.Chtimes(path, then, then); err != nil {
		h.t.Fatal(err)
	}
	return path
}

func (h *home) offers(want ...string) {
	h.t.Helper()
	found, err := downloads.LookIn(h.t.Context(), h.Service, h.folder)
	if err != nil {
		h.t.Fatal(err)
	}
	var names []string
	for _, f := range found {
		names = append(names, filepath.Base(f.Path))
	}
	if !slices.Equal(names, want) {
		h.t.Errorf("offered %v, not %v", names, want)
	}
}

// Promise: exports that came into the downloads folder since it is watched are offered, the newest first,
// each until it was imported or passed over. Not offered are files in a folder that is not watched, older
// ones, those still being downloaded, those that are no export, and symbolic links.
func TestExportsAreOffered(t *testing.T) {
	h := newHome(t)
	export, _ := gen.ChatGPT(gen.ChatGPTOptions{Seed: 1})
	other, _ := gen.Claude(gen.ClaudeOptions{Seed: 1})
	h.put("before.zip", export, 90)
	path := h.put("chatgpt.zip", export, 20)
	h.offers()
	if _, err := h.WatchFolder(t.Context(), downloads.Kind); err != nil {
		t.Fatal(err)
	}
	h.put("claude.ZIP", other, 10)
	h.put("arriving.zip.part", export, 10)
	h.put("torn.zip", export[:len(export)/2], 10)
	h.put("photos.zip", []byte("no archive"), 10)
	h.put("package.json", []byte(`{"name":"x"}`), 10)
	h.put("notes.txt", []byte("I like tea."), 10)
	if err := os.Symlink(path, filepath.Join(h.folder, "link.zip")); err != nil {
		t.Log("no links here: ", err)
	}
	h.offers("claude.ZIP", "chatgpt.zip")

	if err := h.PassFile(t.Context(), downloads.Kind, "claude.ZIP"); err != nil {
		t.Fatal(err)
	}
	h.offers("chatgpt.zip")
	h.now = time.Now() // the import is later than the file
	report, err := h.Import(t.Context(), []core.Input{{Path: path}}, core.ImportOptions{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	h.offers()
	if _, err := h.UndoImport(t.Context(), report.ImportID); err != nil {
		t.Fatal(err)
	}
	h.offers("chatgpt.zip")
	if err := h.FreezeVault(t.Context(), true); err != nil {
		t.Fatal(err)
	}
	h.offers()
}

// Promise: a file is offered whose file system rounds its time down to before the folder was watched.
func TestADownloadWithARoundedTimeIsOffered(t *testing.T) {
	h := newHome(t)
	if _, err := h.WatchFolder(t.Context(), downloads.Kind); err != nil {
		t.Fatal(err)
	}
	export, _ := gen.ChatGPT(gen.ChatGPTOptions{Seed: 1})
	path := h.put("chatgpt.zip", export, 0)
	rounded := h.now.Add(-1900 * time.Millisecond)
	if err := os.Chtimes(path, rounded, rounded); err != nil {
		t.Fatal(err)
	}
	h.offers("chatgpt.zip")
}

// Promise: a file that came anew after it was imported is offered anew, and none once the watching was ended.
func TestANewDownloadOfTheSameNameIsOffered(t *testing.T) {
	h := newHome(t)
	export, _ := gen.ChatGPT(gen.ChatGPTOptions{Seed: 1})
	path := h.put("chatgpt.zip", export, 30)
	if _, err := h.WatchFolder(t.Context(), downloads.Kind); err != nil {
		t.Fatal(err)
	}
	h.now = h.now.Add(40 * time.Minute)
	if _, err := h.Import(t.Context(), []core.Input{{Path: path}}, core.ImportOptions{}, nil); err != nil {
		t.Fatal(err)
	}
	h.offers()
	h.put("chatgpt.zip", export, 10)
	h.offers("chatgpt.zip")
	if err := h.StopWatching(t.Context(), downloads.Kind); err != nil {
		t.Fatal(err)
	}
	h.offers()
}

func TestTheFolderIsTheOneThatTheDesktopNames(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows keeps the path of the folder in the registry; user-dirs.dirs is of Linux")
	}
	home := t.TempDir()
	config := filepath.Join(home, ".config")
	if err := os.Mkdir(config, 0o700); err != nil {
		t.Fatal(err)
	}
	places := clients.Places{Home: home, Config: config}
	for text, want := range map[string]string{
		"": "Downloads",
		"XDG_DOWNLOAD_DIR=\"$HOME/Transferências\"\n":                               "Transferências",
		"# a\nXDG_DESKTOP_DIR=\"$HOME/x\"\nXDG_DOWNLOAD_DIR=\"" + home + "/d l\"\n": "d l",
		"XDG_DOWNLOAD_DIR=\"$HOME/\"\n":                                             "Downloads",
		"XDG_DOWNLOAD_DIR=\"relative\"\n":                                           "Downloads",
	} {
		if err := os.WriteFile(filepath.Join(config, "user-dirs.dirs"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if got := downloads.Folder(places); got != filepath.Join(home, want) {
			t.Errorf("%q: %s", text, got)
		}
	}
}
