package web_test

import (
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"testing"

	"keepsake/app/bridge"
	"keepsake/app/web"
)

func TestAFinishedFileGoesWhenItIsNoLongerNeeded(t *testing.T) {
	for name, end := range map[string]func(*web.Host){
		"the vault is locked": func(h *web.Host) { h.Emit(bridge.EventVault, bridge.VaultEventView{}) },
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
			host.DownloadURL("token", path)
			if got := web.FetchDuring(host, "token", func() { end(host) }); got != "{}" {
				t.Errorf("the browser that fetches it meanwhile gets %q", got)
			}
			if _, err := os.Stat(path); !os.IsNotExist(err) {
				t.Errorf("it is still there: %v", err)
			}
		})
	}
}

// TestExportsSideBySide: each file that is made at once with others is there to be
// fetched; only of very many that were fetched the oldest goes.
func TestExportsSideBySide(t *testing.T) {
	t.Setenv("XDG_RUNTIME_DIR", t.TempDir())
	host := web.NewHost()
	defer web.CloseHost(host)
	begin := func(i int) string {
		path, err := host.SaveFile("", "me.json")
		if err == nil {
			err = os.WriteFile(path, []byte(strconv.Itoa(i)), 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
		return path
	}
	paths := []string{}
	for i := range 4 {
		paths = append(paths, begin(i))
	}
	for i, path := range paths {
		host.DownloadURL("t"+strconv.Itoa(i), path)
	}
	for i := range paths {
		if got := web.Fetch(host, "t"+strconv.Itoa(i)); got != strconv.Itoa(i) {
			t.Errorf("file %d is %q", i, got)
		}
	}
	for i := 4; i < 40; i++ {
		host.DownloadURL("t"+strconv.Itoa(i), begin(i))
	}
	kept := 0
	for i := range 40 {
		if web.Fetch(host, "t"+strconv.Itoa(i)) != "" {
			kept++
		}
	}
	if kept > 17 || web.Fetch(host, "t0") != "" || web.Fetch(host, "t39") != "39" {
		t.Errorf("%d of 40 are kept", kept)
	}
}
