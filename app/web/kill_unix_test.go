//go:build !windows

package web_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"net/http/cookiejar"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"keepsake/app/web"
	"keepsake/backend/core"
	"keepsake/backend/memory"
)

// TestMain is also the server that is killed.
func TestMain(m *testing.M) {
	if dir := os.Getenv("KEEPSAKE_SERVES"); dir != "" {
		fmt.Println(serveUntilKilled(dir))
		os.Exit(1)
	}
	os.Exit(m.Run())
}

func serveUntilKilled(dir string) error {
	service, err := serviceIn(dir)
	if err != nil {
		return err
	}
	return web.Serve(context.Background(), service, assets(), "127.0.0.1:0", os.Stdout)
}

// canary stands in every memory of the vault that is served.
const canary = "exportcanary"

// doomed is a server in a process of its own, with an open vault.
type doomed struct {
	*served
	process *exec.Cmd
	dir     string // of the vault
	base    string // where exports are prepared
}

func serveInProcess(t *testing.T, base string) doomed {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	makeVault(t, dir)
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), "KEEPSAKE_SERVES="+dir, "XDG_RUNTIME_DIR="+base, "TMPDIR="+dir)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	line, _ := bufio.NewReader(out).ReadString('\n')
	_, address, ok := strings.Cut(strings.TrimSpace(line), " at ")
	if !ok {
		t.Fatalf("said %q", line)
	}
	origin, _, _ := strings.Cut(address, "/open/")
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	d := doomed{&served{opened: address, base: origin, browser: &http.Client{Jar: jar}}, cmd, dir, base}
	d.open(t)
	if _, failed := d.call(t, "Vault.Unlock", `["lantern harbor walnut copper"]`); failed.Code != "" {
		t.Fatal(failed)
	}
	return d
}

func makeVault(t *testing.T, dir string) {
	t.Helper()
	service, err := serviceIn(dir)
	if err == nil {
		_, err = service.CreateVault(t.Context(), []byte("lantern harbor walnut copper"), "test")
	}
	if err == nil {
		_, err = service.AddMemory(t.Context(), core.NewMemory{Type: memory.Preference, Content: "Keeps " + canary + " bees"})
	}
	if err = errors.Join(err, service.Close()); err != nil {
		t.Fatal(err)
	}
}

// kill ends the process as kill -9 does, and counts what it left.
func (d doomed) kill(t *testing.T) (files int) {
	t.Helper()
	if err := d.process.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = d.process.Wait()
	return len(below(d.base))
}

// below lists the files in a folder, however deep.
func below(dir string) (files []string) {
	_ = filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err == nil && e.Type().IsRegular() {
			files = append(files, path)
		}
		return nil
	})
	return files
}

// readable are the files that hold the canary.
func readable(dirs ...string) (files []string) {
	for _, dir := range dirs {
		for _, path := range below(dir) {
			if text, err := os.ReadFile(path); err == nil && bytes.Contains(text, []byte(canary)) {
				files = append(files, path)
			}
		}
	}
	return files
}

// prepared are the calls that have a file prepared for the browser.
var prepared = []struct{ name, args string }{
	{"Exports.Start", `[{}]`}, {"Exports.Start", `[{"format":"mif","version":"1","form":"json"}]`}, {"Exports.Start", `[{"format":"markdown","language":"en"}]`},
	{"Exports.Start", `[{"format":"html","language":"en"}]`}, {"Exports.Start", `[{"passphrase":"another harbor walnut"}]`},
	{"Handoffs.Save", `["claude",{}]`}, {"Care.Backup", `[]`}, {"Care.SaveLog", `[]`}, {"Signers.Save", `[]`}, {"Clients.SaveBundle", `[]`},
}

// make has one of them made, and is the address of its download.
func (d doomed) make(t *testing.T, name, args string) string {
	t.Helper()
	result, failed := d.call(t, name, args)
	var made struct {
		URL   string
		Saved struct{ URL string }
	}
	if err := json.Unmarshal(result, &made); failed.Code != "" || err != nil || made.URL+made.Saved.URL == "" {
		t.Fatalf("%s %s: %+v %s", name, args, failed, result)
	}
	return made.URL + made.Saved.URL
}

// TestNothingOfAKilledServerStays: whenever serve is killed, the next start leaves none
// of the files that were prepared for the browser, finished or not.
func TestNothingOfAKilledServerStays(t *testing.T) {
	kills, left, open := 0, 0, 0
	after := func(d doomed) {
		t.Helper()
		left += d.kill(t)
		open += len(readable(d.base))
		kills++
		serveIn(t, d.base)
		if rest := append(below(d.base), readable(d.dir)...); len(rest) > 0 {
			t.Errorf("left: %v", rest)
		}
		if folders, _ := os.ReadDir(d.base); len(folders) > 0 {
			t.Errorf("left: %v", folders)
		}
	}
	for _, p := range prepared { // while it is written: its folder is made, its file is begun
		for moment := range 2 {
			d := serveInProcess(t, t.TempDir())
			go func() {
				request, _ := http.NewRequest("POST", d.served.base+"/api/call", strings.NewReader(`{"name":"`+p.name+`","args":`+p.args+`}`))
				request.Header.Set("X-Keepsake", d.secret)
				if answer, err := d.browser.Do(request); err == nil {
					answer.Body.Close()
				}
			}()
			for end := time.Now().Add(5 * time.Second); time.Now().Before(end); {
				if folders, _ := os.ReadDir(d.base); len(folders) > 0 && (moment == 0 || len(below(d.base)) > 0) {
					break
				}
				time.Sleep(100 * time.Microsecond) // the folder exists only for milliseconds, and nothing announces it
			}
			after(d)
		}
	}
	for state, fetch := range map[string]func(d doomed, url string){
		"finished": func(doomed, string) {},
		"fetched": func(d doomed, url string) {
			if status, _, _ := d.do(t, d.browser, "GET", d.ticket(t, url), nil, nil); status != http.StatusOK {
				t.Errorf("%s: %d", url, status)
			}
		},
		"being fetched": func(d doomed, url string) {
			answer, err := d.browser.Get(d.ticket(t, url))
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { answer.Body.Close() })
		},
	} {
		d := serveInProcess(t, t.TempDir())
		for _, p := range prepared {
			fetch(d, d.make(t, p.name, p.args))
		}
		before := left
		if after(d); left-before != len(prepared) {
			t.Errorf("the control, %s: %d files of %d were there", state, left-before, len(prepared))
		}
	}
	t.Logf("%d kills left %d files, %d of them readable; 0 after the next start", kills, left, open)
	if open < 3 {
		t.Errorf("the control: only %d readable files were left by a kill", open)
	}
}

// TestAnExportOfALivingServerStays: another start takes nothing from it.
func TestAnExportOfALivingServerStays(t *testing.T) {
	d := serveInProcess(t, t.TempDir())
	url := d.make(t, "Exports.Start", `[{}]`)
	serveIn(t, d.base)
	if status, text, _ := d.do(t, d.browser, "GET", d.ticket(t, url), nil, nil); status != http.StatusOK || !strings.Contains(text, canary) {
		t.Errorf("%d %q", status, text)
	}
}

// serveIn starts a server that prepares exports in base.
func serveIn(t *testing.T, base string) {
	t.Helper()
	t.Setenv("XDG_RUNTIME_DIR", base)
	if err := serve(t).stop(); err != nil {
		t.Fatal(err)
	}
}
