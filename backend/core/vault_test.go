package core_test

import (
	"io"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"testing"

	"keepsake/backend/core"
	"keepsake/backend/fault"
	"keepsake/backend/memory"
)

func open(t *testing.T, path string) io.Reader {
	t.Helper()
	file := ok(os.Open(path))
	t.Cleanup(func() { _ = file.Close() })
	return file
}

func TestVaultFromNothingToLocked(t *testing.T) {
	k := bare(t, "")
	if st := k.state(); st.Exists || st.Unlocked || st.Slots == nil {
		t.Fatalf("before: %+v", st)
	}
	_, err := k.Memories(ctx, core.MemoryQuery{})
	wantFault(t, err, fault.NotFound, "no-vault")
	made := ok(k.CreateVault(ctx, passphrase, "test"))
	st := k.state()
	if !st.Exists || !st.Unlocked || !st.WeakKDF || st.VaultID != made.VaultID || st.OwnerID != made.OwnerID || st.DID != made.DID || len(st.Slots) != 2 {
		t.Fatalf("made %+v, state %+v", made, st)
	}
	if !strings.HasPrefix(made.DID, "did:key:z6Mk") || made.RecoveryKey == "" {
		t.Errorf("made: %+v", made)
	}
	_, err = k.CreateVault(ctx, passphrase, "test")
	wantFault(t, err, fault.Conflict, "vault-open")
	if err := k.Lock(ctx); err != nil {
		t.Fatal(err)
	}
	if st = k.state(); st.Unlocked || st.OwnerID != "" || st.DID != "" {
		t.Errorf("locked, and still says: %+v", st)
	}
	_, err = k.CreateVault(ctx, passphrase, "test")
	wantFault(t, err, fault.Conflict, "vault-exists")
	wantFault(t, k.Unlock(ctx, []byte("not the passphrase")), fault.WrongPassphrase, "wrong-passphrase")
	if err := k.UnlockRecovery(ctx, strings.ToLower(made.RecoveryKey)); err != nil {
		t.Fatal(err)
	}
	if st = k.state(); !st.Unlocked || st.DID != made.DID {
		t.Errorf("after recovery: %+v", st)
	}
	if err := k.Unlock(ctx, passphrase); err != nil {
		t.Errorf("the passphrase of an open vault: %v", err)
	}
	wantFault(t, k.Unlock(ctx, []byte("not the passphrase")), fault.WrongPassphrase, "wrong-passphrase")
	if !k.state().Unlocked {
		t.Error("a wrong passphrase locked an open vault")
	}
}

func TestASecondProcessIsToldWho(t *testing.T) {
	k := fresh(t)
	other := ok(core.New(k.cfg))
	wantFault(t, other.Unlock(ctx, passphrase), fault.Busy, "vault-busy")
	if err := k.Lock(ctx); err != nil {
		t.Fatal(err)
	}
	if err := other.Unlock(ctx, passphrase); err != nil {
		t.Fatalf("a locked vault is free for others: %v", err)
	}
	if err := other.Close(); err != nil {
		t.Fatal(err)
	}
}

// TestLockedMeansLocked calls every method that needs the vault.
func TestLockedMeansLocked(t *testing.T) {
	k := fresh(t)
	if err := k.Lock(ctx); err != nil {
		t.Fatal(err)
	}
	open := map[string]bool{ // work without an open vault
		"VaultState": true, "Select": true, "MayCreate": true, "MayUnlock": true, "CreateVault": true, "Unlock": true, "UnlockRecovery": true, "Lock": true, "Close": true,
		"EstimateUnlock": true, "AddUpload": true, "DropUpload": true, "Detect": true, "CancelJob": true, "Subscribe": true,
		"Verify": true, "Validate": true, "Inspect": true, "Keygen": true, "SignFile": true, "MergeFiles": true, "PlanMerge": true, "DiffFiles": true, "Convert": true, "Hash": true, "Canonicalize": true,
		"Preferences": true, "SavePreferences": true, "TryEmbeddingServer": true, "Demo": true, "TrySample": true, "StartImport": true,
		"Diagnose": true, "RecoverVault": true, "ExportReadable": true, "RestoreBackup": true, "VerifyBackup": true,
		"EasyToGuess": true, "SuggestPassphrase": true, "HasKeychain": true, "UnlockKeychain": true, "DeriveChannelKey": true, "NoteNoChannelKey": true, "UseRecovery": true,
		"Asides": true, "LookAhead": true, "SuggestedName": true, "Present": true, "Called": true, "WatchPresence": true, "AutoLock": true, "NoteLockedCall": true,
	}
	service := reflect.ValueOf(k.Service)
	for i := range service.NumMethod() {
		name, method := service.Type().Method(i).Name, service.Method(i)
		if open[name] {
			continue
		}
		args := []reflect.Value{reflect.ValueOf(ctx)}
		for n := 1; n < method.Type().NumIn(); n++ {
			arg := method.Type().In(n)
			if arg == reflect.TypeFor[core.FormatOptions]() {
				arg = reflect.TypeFor[core.ExportOptions]()
			}
			args = append(args, reflect.Zero(arg))
		}
		out := method.Call(args)
		err, _ := out[len(out)-1].Interface().(error)
		if fault.CodeOf(err) != fault.Locked {
			t.Errorf("%s on a locked vault: %v", name, err)
		}
	}
}

func TestSelectTurnsToAnotherVault(t *testing.T) {
	k := fresh(t)
	k.add("in the first")
	second := filepath.Join(k.root, "second")
	if err := k.Select(ctx, second); err != nil {
		t.Fatal(err)
	}
	if st := k.state(); st.Exists || st.Dir != second || st.Name != "second" {
		t.Fatalf("state: %+v", st)
	}
	ok(k.CreateVault(ctx, passphrase, "test"))
	if err := k.Select(ctx, filepath.Join(k.root, "vault")); err != nil {
		t.Fatal(err)
	}
	if err := k.Unlock(ctx, passphrase); err != nil {
		t.Fatal(err)
	}
	k.saying("in the first")
	p := ok(k.Preferences(ctx))
	if len(p.Recent) != 2 || p.Recent[0] != filepath.Join(k.root, "vault") {
		t.Errorf("recent: %v", p.Recent)
	}
}

func TestSyncedFoldersAreNoticed(t *testing.T) {
	for dir, want := range map[string]string{
		"/home/ana/Dropbox/vault": "cloud-folder", "/Users/ana/Library/Mobile Documents/x/vault": "cloud-folder",
		"/home/ana/OneDrive - Work/vault": "cloud-folder", "/home/ana/vault": "", "/home/ana/dropboxes/vault": "",
	} {
		k := bare(t, "")
		if err := k.Select(ctx, dir); err != nil {
			t.Fatal(err)
		}
		if got := k.state().Warning; got != want {
			t.Errorf("%s: %q, want %q", dir, got, want)
		}
	}
}

func TestPreferencesSurviveDamage(t *testing.T) {
	k := bare(t, "")
	p := core.Preferences{Language: "pt-BR", Theme: "dark", Window: core.WindowState{Width: 900, Height: 700, Maximised: true}}
	if err := k.SavePreferences(ctx, p); err != nil {
		t.Fatal(err)
	}
	got := ok(k.Preferences(ctx))
	p.Recent = []string{}
	equal(t, p, got)
	if info := ok(os.Stat(k.cfg.SettingsFile)); info.Mode().Perm() != 0o600 && runtime.GOOS != "windows" { // which has no such bits
		t.Errorf("mode %v", info.Mode())
	}
	for _, damage := range []string{"", "{", "[]", `{"language":7}`, "\x00\x01"} {
		if err := os.WriteFile(k.cfg.SettingsFile, []byte(damage), 0o600); err != nil {
			t.Fatal(err)
		}
		if got := ok(k.Preferences(ctx)); got.Theme != "system" || got.Recent == nil {
			t.Errorf("%q: %+v", damage, got)
		}
		if err := k.SavePreferences(ctx, p); err != nil {
			t.Errorf("%q: %v", damage, err)
		}
	}
	wantFault(t, k.SavePreferences(ctx, core.Preferences{Language: "xx"}), fault.Invalid, "unknown-language")
	wantFault(t, k.SavePreferences(ctx, core.Preferences{Theme: "pink"}), fault.Invalid, "unknown-theme")
}

func TestKeyFilesSignAndVerify(t *testing.T) {
	k := fresh(t)
	k.add("x")
	r, _ := k.export("out.json", core.ExportOptions{Unsigned: true})
	keyFile, signed := filepath.Join(k.root, "key"), filepath.Join(k.root, "signed.json")
	key := ok(k.Keygen(ctx, keyFile, nil))
	_, err := k.Keygen(ctx, keyFile, nil)
	wantFault(t, err, fault.Conflict, "key-file-exists")
	never := func() ([]byte, error) { t.Error("asked for the passphrase of a plain key"); return nil, nil }
	got := ok(k.SignFile(ctx, core.Input{Path: r.Path}, keyFile, never, signed))
	if got.DID != key.DID || len(key.Words) != 6 {
		t.Errorf("signed as %+v, want %+v", got, key)
	}
	report := ok(k.Verify(ctx, core.Input{Path: signed}, nil))
	if report.Verdict != core.VerdictUnknown {
		t.Errorf("verdict: %+v", report)
	}
	report = ok(k.Verify(ctx, core.Input{Path: signed}, []string{keyFile}))
	if report.Verdict != core.VerdictKnown || !report.Valid {
		t.Errorf("verdict: %+v", report)
	}
	other := filepath.Join(k.root, "other")
	ok(k.Keygen(ctx, other, nil))
	if report = ok(k.Verify(ctx, core.Input{Path: signed}, []string{other})); report.Valid {
		t.Errorf("another key than required: %+v", report)
	}
	in := ok(k.Inspect(ctx, core.Input{Path: signed}))
	if in.Memories != 1 || !in.Signed {
		t.Errorf("inspect: %+v", in)
	}
}

func TestHashAndCanonicalize(t *testing.T) {
	k := bare(t, "")
	if got := ok(k.Hash(ctx, strings.NewReader("  Hello   WORLD "))); got != memory.ContentHash("hello world") {
		t.Errorf("hash: %s", got)
	}
	var out strings.Builder
	if err := k.Canonicalize(ctx, strings.NewReader(`{"b":1.0,"a":"é"}`), &out); err != nil || out.String() != `{"a":"é","b":1}` {
		t.Errorf("%q, %v", out.String(), err)
	}
	for text, said := range map[string]string{
		`{"b":{"a":1,"a":2}}`: "a name that stands twice at /b/a", `{"a":[1,9007199254740993]}`: "a number that programs round differently at /a/1", `{"raw_metadata":{"n":1e400}}`: "a number that programs round differently at /raw_metadata/n",
		`{"a":"\ud800"}`: "half of a pair of surrogates at /a", `{"a":1}{}`: "more behind its end at /", `{"a":1`: "the end of the text, too early at /", "": "the end of the text, too early at /",
		`{"a":` + strings.Repeat("[", 200) + strings.Repeat("]", 200) + `}`: "arrays and objects nested too deep at /a/0/0/0",
	} {
		err := k.Canonicalize(ctx, strings.NewReader(text), io.Discard)
		wantFault(t, err, fault.Invalid, "not-canonical-json")
		if !strings.Contains(err.Error(), "("+said+")") {
			t.Errorf("%.40s: %v", text, err)
		}
	}
}
