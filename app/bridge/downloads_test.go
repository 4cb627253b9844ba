//go:build !windows

package bridge_test

import (
	"os"
	"path/filepath"
	"testing"

	"keepsake/app/bridge"
	"keepsake/backend/core"
	"keepsake/backend/importer/all"
	"keepsake/backend/importer/importertest/gen"
)

// Promise: an export in the downloads folder is planned by its id alone, as a chosen file is, and is
// offered no more once it was passed over. The page names no path, and nothing is imported by itself.
func TestDownloadsAreOffered(t *testing.T) {
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("XDG_CONFIG_HOME", filepath.Join(home, ".config"))
	folder := filepath.Join(home, "Downloads")
	if err := os.Mkdir(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	svc, err := core.New(core.Config{VaultDir: filepath.Join(t.TempDir(), "vault"), ScratchDir: t.TempDir(), Importers: all.Importers()})
	if err != nil {
		t.Fatal(err)
	}
	b := bridge.New(t.Context(), svc, &desk{})
	t.Cleanup(func() { b.Close(); _ = svc.Close() })
	if _, err := svc.CreateVault(t.Context(), []byte("correct horse battery staple"), "test"); err != nil {
		t.Fatal(err)
	}
	if err := b.Library.WatchSessions("downloads", true); err != nil {
		t.Fatal(err)
	}
	export, _ := gen.ChatGPT(gen.ChatGPTOptions{Seed: 1})
	put(t, filepath.Join(folder, "export.zip"), string(export))
	found, err := b.Imports.Downloads()
	if err != nil || len(found) != 1 || found[0].File != "export.zip" || found[0].Provider != "chatgpt" {
		t.Fatalf("%+v, %v", found, err)
	}
	_, err = b.Imports.TakeDownload(filepath.Join(folder, "export.zip")) // a path is none
	reason(t, err, "download-gone")
	offers, err := b.Imports.TakeDownload(found[0].ID)
	if err != nil || len(offers) != 1 || offers[0].Name != "export.zip" || offers[0].Size != int64(len(export)) {
		t.Fatalf("%+v, %v", offers, err)
	}
	plan, err := b.Imports.Plan([]string{offers[0].Token})
	if err != nil || len(plan.Sources) != 1 || plan.Sources[0].New == 0 {
		t.Errorf("%+v, %v", plan, err)
	}
	if state, err := svc.VaultState(t.Context()); err != nil || state.Conversations != 0 {
		t.Errorf("%+v, %v", state, err)
	}
	if err := b.Imports.PassDownload(found[0].ID); err != nil {
		t.Fatal(err)
	}
	if found, err := b.Imports.Downloads(); err != nil || len(found) != 0 {
		t.Errorf("%+v, %v", found, err)
	}
	reason(t, b.Imports.PassDownload(found[0].ID), "download-gone")
}
