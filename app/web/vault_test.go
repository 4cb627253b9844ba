package web_test

import (
	"bufio"
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"keepsake/app/bridge"
)

// withVault is a server whose vault is open and cheap to open.
func withVault(t *testing.T) *served {
	t.Helper()
	t.Setenv("XDG_RUNTIME_DIR", t.TempDir())
	s := serve(t).open(t)
	if _, err := s.service.CreateVault(context.Background(), []byte("six words nobody else would pick"), "test"); err != nil {
		t.Fatal(err)
	}
	return s
}

// must asks as the page does and reads the result.
func must[T any](t *testing.T, s *served, name, args string) T {
	t.Helper()
	result, failed := s.call(t, name, args)
	var value T
	if failed.Code != "" {
		t.Fatalf("%s: %+v", name, failed)
	}
	if err := json.Unmarshal(result, &value); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return value
}

func TestAMemoryGoesFromThePageIntoASignedFileAndBack(t *testing.T) {
	s := withVault(t)
	added := must[bridge.MemoryView](t, s, "Library.Add", `[{"type":"fact","customType":"","content":"Keeps bees.","tags":["bees"]}]`)
	must[bridge.MemoryView](t, s, "Library.Add", `[{"type":"goal","customType":"","content":"Secret plans.","tags":[]}]`)
	must[bridge.MemoryView](t, s, "Library.Edit", `["`+added.ID+`",{"content":"Keeps bees on the roof.","tags":[]}]`)
	page := must[bridge.MemoryPageView](t, s, "Library.List", `[{"text":"roof"}]`)
	if page.Total != 1 || page.Items[0].ID != added.ID || len(page.Items[0].Tags) != 0 {
		t.Fatalf("%+v", page)
	}

	result := must[bridge.ExportResultView](t, s, "Exports.Start", `[{}]`)
	if !strings.HasPrefix(result.URL, "/download/") || result.Folder != "" || !result.Signed || result.Memories != 2 {
		t.Fatalf("%+v", result)
	}
	status, body, header := s.do(t, s.browser, "GET", s.ticket(t, result.URL), nil, nil)
	if status != http.StatusOK || int64(len(body)) != result.Bytes || !strings.Contains(body, "Keeps bees on the roof.") {
		t.Fatalf("the download is %d with %d bytes", status, len(body))
	}
	if how := header.Get("Content-Disposition"); !strings.HasPrefix(how, "attachment") || !strings.Contains(how, result.Name) {
		t.Errorf("it is offered as %q", how)
	}
	if verified := must[bridge.VerifyView](t, s, "Exports.Verify", `["`+result.Token+`"]`); verified.Verdict != "own" || !verified.Document.Valid {
		t.Errorf("our own file is %+v", verified)
	}
	if broken := verifyUpload(t, s, strings.Replace(body, "on the roof", "in the shed", 1)); broken.Verdict != "broken" || broken.Valid {
		t.Errorf("a changed file is %+v", broken)
	}
}

// verifyUpload hands a file over as a browser does.
func verifyUpload(t *testing.T, s *served, file string) bridge.VerifyView {
	t.Helper()
	_, body, _ := s.do(t, s.browser, "POST", s.base+"/api/upload?name=../a%20file.pam.json", s.mark(), strings.NewReader(file))
	var reply struct{ Result bridge.Offer }
	if err := json.Unmarshal([]byte(body), &reply); err != nil {
		t.Fatal(err)
	}
	if reply.Result.Name != "a file.pam.json" || reply.Result.Size != int64(len(file)) {
		t.Errorf("the offer is %+v", reply.Result)
	}
	return must[bridge.VerifyView](t, s, "Exports.Verify", `["`+reply.Result.Token+`"]`)
}

func TestALockedVaultLeavesNothingToFetch(t *testing.T) {
	s := withVault(t)
	must[bridge.MemoryView](t, s, "Library.Add", `[{"type":"fact","customType":"","content":"Keeps bees.","tags":[]}]`)
	result := must[bridge.ExportResultView](t, s, "Exports.Start", `[{}]`)

	response := s.stream(t)
	if _, failed := s.call(t, "Vault.Lock", `[]`); failed.Code != "" {
		t.Fatal(failed)
	}
	events := bufio.NewScanner(response.Body)
	for events.Scan() && !strings.Contains(events.Text(), `"unlocked":false`) {
	}
	if err := events.Err(); err != nil {
		t.Fatal(err)
	}
	if status, _, _ := s.do(t, s.browser, "GET", s.ticket(t, result.URL), nil, nil); status != http.StatusNotFound {
		t.Errorf("the export is still there: %d", status)
	}
	if _, failed := s.call(t, "Library.List", `[{}]`); failed.Code != "locked" {
		t.Errorf("the list of a locked vault: %+v", failed)
	}
	if state := must[bridge.VaultView](t, s, "Vault.Unlock", `["six words nobody else would pick"]`); !state.Unlocked || state.Memories != 1 {
		t.Errorf("%+v", state)
	}
}

// A lock removes files made for the page: asking for one afterwards gives the fault
// "offer-gone", not a missing path.
func TestWindow07WhatWasMadeIsNotAtHandAfterALock(t *testing.T) {
	s := withVault(t)
	must[bridge.MemoryView](t, s, "Library.Add", `[{"type":"fact","customType":"","content":"Keeps bees.","tags":[]}]`)
	made := must[bridge.ExportResultView](t, s, "Exports.Start", `[{}]`)
	form := must[bridge.ExportResultView](t, s, "Exports.Start", `[{"format":"csv"}]`)
	if verified := must[bridge.VerifyView](t, s, "Exports.Verify", `["`+made.Token+`"]`); verified.Verdict != "own" {
		t.Fatalf("%+v", verified)
	}
	if _, failed := s.call(t, "Vault.Lock", `[]`); failed.Code != "" {
		t.Fatal(failed)
	}
	must[bridge.VaultView](t, s, "Vault.Unlock", `["six words nobody else would pick"]`)
	for name, args := range map[string]string{
		"Exports.Verify":  `["` + made.Token + `"]`,
		"Exports.Compare": `["` + made.Token + `","","",0]`,
		"Imports.Plan":    `[["` + form.Token + `"]]`,
	} {
		if _, failed := s.call(t, name, args); failed.Reason != "offer-gone" || failed.Code != "not_found" {
			t.Errorf("%s: %+v", name, failed)
		}
	}
}

func TestAnUploadThatIsNotImportedIsLetGo(t *testing.T) {
	s := withVault(t)
	_, body, _ := s.do(t, s.browser, "POST", s.base+"/api/upload?name=x.zip", s.mark(), strings.NewReader("not a zip"))
	var reply struct{ Result bridge.Offer }
	if err := json.Unmarshal([]byte(body), &reply); err != nil {
		t.Fatal(err)
	}
	if _, failed := s.call(t, "Imports.Forget", `[["`+reply.Result.Token+`"]]`); failed.Code != "" {
		t.Fatal(failed)
	}
	if _, failed := s.call(t, "Imports.Plan", `[["`+reply.Result.Token+`"]]`); failed.Reason != "offer-gone" {
		t.Errorf("%+v", failed)
	}
}
