package core_test

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"keepsake/backend/core"
	"keepsake/backend/fault"
	"keepsake/backend/importer/all"
)

// TestWatchedSessions are taken of an assistant whose folder is watched alone, move the mark of the folder, and
// wait while the vault is frozen. One that cannot be read is said, and does not come again.
func TestWatchedSessions(t *testing.T) {
	svc, err := core.New(core.Config{VaultDir: filepath.Join(t.TempDir(), "vault"), ScratchDir: t.TempDir(), Importers: all.Importers()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = svc.Close() })
	if _, err := svc.CreateVault(t.Context(), passphrase, "test"); err != nil {
		t.Fatal(err)
	}
	take := func(kind string, f core.FolderSession) (bool, error) {
		t.Helper()
		return svc.WatchedSession(t.Context(), kind, f)
	}
	session := func(upTo time.Time) core.FolderSession {
		return core.FolderSession{File: "5f2c0a4e-0000-4000-8000-000000000001.jsonl", UpTo: upTo, Content: strings.NewReader(`{"type":"user","uuid":"u1","sessionId":"5f2c0a4e-0000-4000-8000-000000000001","timestamp":"2026-08-01T10:00:00.000Z","cwd":"/tea","message":{"role":"user","content":"I prefer trains to planes."}}` + "\n")}
	}
	if done, err := take("claude-code", session(time.Time{})); !done || err != nil {
		t.Errorf("a session of no watched folder: %t, %v", done, err)
	}
	if imports, err := svc.Imports(t.Context()); err != nil || len(imports) > 0 {
		t.Fatalf("%v, %v", imports, err)
	}
	w, err := svc.WatchFolder(t.Context(), "claude-code")
	if err != nil || w.UpTo == 0 {
		t.Fatalf("%+v, %v", w, err)
	}
	again, err := svc.WatchFolder(t.Context(), "claude-code")
	if err != nil || again.UpTo != w.UpTo {
		t.Errorf("watched twice: %+v, %v", again, err)
	}
	later := time.Unix(0, w.UpTo).Add(time.Hour)
	if done, err := take("claude-code", session(later)); !done || err != nil {
		t.Errorf("%t, %v", done, err)
	}
	if done, err := take("claude-code", core.FolderSession{Refused: fault.New(fault.Refused, "session-foreign", "{name} belongs to another account."), UpTo: later.Add(-time.Minute)}); !done || err != nil {
		t.Errorf("%t, %v", done, err)
	}
	listed, err := svc.WatchedFolders(t.Context())
	if err != nil || len(listed) != 1 || listed[0].Taken != 1 || listed[0].UpTo != later.UnixNano() || listed[0].Refused == nil || listed[0].Refused.Reason != "session-foreign" {
		t.Errorf("%+v, %v", listed, err)
	}
	if err := errors.Join(svc.FreezeVault(t.Context(), true)); err != nil {
		t.Fatal(err)
	}
	if done, err := take("claude-code", session(later)); done || err != nil {
		t.Errorf("in a frozen vault: %t, %v", done, err)
	}
	if err := errors.Join(svc.FreezeVault(t.Context(), false), svc.StopWatching(t.Context(), "claude-code")); err != nil {
		t.Fatal(err)
	}
	if err := svc.StopWatching(t.Context(), "claude-code"); fault.CodeOf(err) != fault.NotFound {
		t.Errorf("stopped twice: %v", err)
	}
	if _, err := svc.WatchFolder(t.Context(), "../claude"); fault.CodeOf(err) != fault.Invalid {
		t.Errorf("a kind that is none: %v", err)
	}
	if countLog(t, svc, "session-taken") != 1 || countLog(t, svc, "session-refused") != 1 {
		t.Error("the log has not one line each")
	}
}
