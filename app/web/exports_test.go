package web_test

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"keepsake/app/bridge"
	"keepsake/app/web"
)

func TestAFinishedFileGoesWhenItIsNoLongerNeeded(t *testing.T) {
	for name, end := range map[string]func(*web.Host){
		"the vault is locked": func(h *web.Host) { h.Emit(bridge.EventVault, bridge.VaultEventView{}) },
		"the next is made":    func(h *web.Host) { _, _ = h.SaveFile("", "next.json") },
		"the server ends":     web.CloseHost,
	} {
		t.Run(name, func(t *testing.T) {
			t.Setenv("XDG_RUNTIME_DIR", t.TempDir())
			host := web.NewHost()
			defer web.CloseHost(host)
			path, err := host.SaveFile("title", "../../me.pam.json")
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte("{}"), 0o600); err != nil {
				t.Fatal(err)
			}
			folder, err := os.Stat(filepath.Dir(path))
			if err != nil || filepath.Base(path) != "me.pam.json" {
				t.Fatalf("%s: %v", path, err)
			}
			if runtime.GOOS != "windows" && folder.Mode().Perm() != 0o700 {
				t.Errorf("others may enter: %v", folder.Mode())
			}
			end(host)
			if _, err := os.Stat(path); !os.IsNotExist(err) {
				t.Errorf("it is still there: %v", err)
			}
		})
	}
}

func TestWhatACrashLeftIsTakenAway(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("only Linux says that a process is no more")
	}
	base := t.TempDir()
	t.Setenv("XDG_RUNTIME_DIR", base)
	// Process ids end at 2^22 on Linux.
	left, ours := filepath.Join(base, "keepsake-export-99999999-x"), filepath.Join(base, "keepsake-export-1-x")
	for _, dir := range []string{left, ours} {
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	host := web.NewHost()
	defer web.CloseHost(host)
	if _, err := host.SaveFile("", "me.json"); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(left); !os.IsNotExist(err) {
		t.Errorf("the folder of a dead process is still there: %v", err)
	}
	if _, err := os.Stat(ours); err != nil {
		t.Errorf("the folder of a living process is gone: %v", err)
	}
}
