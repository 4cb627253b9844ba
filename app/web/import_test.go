package web_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"mime"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"keepsake/app/bridge"
	"keepsake/backend/importer/importertest/gen"
)

// imported is a server whose vault holds a small ChatGPT export, brought in as
// a browser does: upload, plan, job, events, report.
func imported(t *testing.T) (*served, bridge.ReportView, gen.Truth) {
	t.Helper()
	s := withVault(t)
	export, truth := gen.ChatGPT(gen.ChatGPTOptions{Seed: 5})
	_, body, _ := s.do(t, s.browser, "POST", s.base+"/api/upload?name=export.zip", s.mark(), bytes.NewReader(export))
	var reply struct{ Result bridge.Offer }
	if err := json.Unmarshal([]byte(body), &reply); err != nil {
		t.Fatal(err)
	}
	plan := must[bridge.PlanView](t, s, "Imports.Plan", `[["`+reply.Result.Token+`"]]`)
	if len(plan.Sources) != 1 || plan.Sources[0].New != len(truth.Conversations) || plan.Sources[0].Problem != nil {
		t.Fatalf("the plan is %+v", plan)
	}
	done := nextEvent(t, s, bridge.EventImportDone)
	job := must[bridge.JobView](t, s, "Imports.Start", `["`+plan.ID+`"]`)
	var ended bridge.ImportDoneView
	if err := json.Unmarshal([]byte(<-done), &ended); err != nil || ended.Job != job.ID || ended.Problem != nil {
		t.Fatalf("the job %s ended as %+v, %v", job.ID, ended, err)
	}
	if progress := must[bridge.ProgressView](t, s, "Imports.Job", `["`+job.ID+`"]`); progress.Phase != "finished" || progress.ImportID != ended.ImportID {
		t.Errorf("the job is remembered as %+v", progress)
	}
	return s, must[bridge.ReportView](t, s, "Imports.Report", `["`+ended.ImportID+`"]`), truth
}

// nextEvent listens, and gives the payload of the next event of that name.
func nextEvent(t *testing.T, s *served, name string) <-chan string {
	t.Helper()
	response := s.stream(t)
	payload := make(chan string, 1)
	go func() {
		defer close(payload)
		lines := bufio.NewScanner(response.Body)
		for lines.Scan() {
			if lines.Text() == "event: "+name && lines.Scan() {
				payload <- strings.TrimPrefix(lines.Text(), "data: ")
				return
			}
		}
	}()
	return payload
}

func TestAnExportIsImportedAsABrowserDoesIt(t *testing.T) {
	s, report, truth := imported(t)
	if report.State != "done" || report.New != len(truth.Conversations) || report.ProblemsTotal != 0 || report.Sources[0].Name != "export.zip" ||
		report.Sources[0].CanReveal || report.AttachmentsStored != truth.Attachments {
		t.Errorf("the report is %+v", report)
	}
	if page := must[bridge.MemoryPageView](t, s, "Library.List", `[{}]`); page.Total == 0 || page.Total < len(truth.Contents()) {
		t.Errorf("%d memories, planted %d", page.Total, len(truth.Contents()))
	}
	if undone := must[bridge.UndoView](t, s, "Imports.Undo", `["`+report.ImportID+`"]`); undone.Conversations != len(truth.Conversations) {
		t.Errorf("taken back was %+v", undone)
	}
	if page := must[bridge.ConversationPageView](t, s, "Conversations.List", `[{}]`); page.Total != 0 {
		t.Errorf("%d conversations are left", page.Total)
	}
}

func TestAttachmentsAreServedAsWhatTheyAreAndWithoutAnyPower(t *testing.T) {
	s, _, _ := imported(t)
	address := anAttachment(t, s)
	status, body, header := s.do(t, s.browser, "GET", s.ticket(t, address), nil, nil)
	if status != http.StatusOK || !strings.HasPrefix(body, "\x89PNG") || header.Get("Content-Type") != "image/png" {
		t.Fatalf("%s gave %d %v %q", address, status, header, body)
	}
	if header.Get("Content-Security-Policy") != "sandbox; default-src 'none'" || header.Get("X-Content-Type-Options") != "nosniff" ||
		!strings.HasPrefix(header.Get("Content-Disposition"), "inline") || header.Get("Last-Modified") != "" {
		t.Errorf("it came with %v", header)
	}
	if status, part, _ := s.do(t, s.browser, "GET", s.ticket(t, address), map[string]string{"Range": "bytes=1-3"}, nil); status != http.StatusPartialContent || part != "PNG" {
		t.Errorf("a part is %d %q", status, part)
	}
	for _, path := range []string{"/vault/", "/vault/none", "/vault/..%2fvault.head", "/vault/%00"} {
		if status, _, _ := s.do(t, s.browser, "GET", s.ticket(t, path), nil, nil); status != http.StatusNotFound {
			t.Errorf("%s gave %d", path, status)
		}
	}
	if _, failed := s.call(t, "Vault.Lock", `[]`); failed.Code != "" {
		t.Fatal(failed)
	}
	if status, _, _ := s.do(t, s.browser, "GET", s.ticket(t, address), nil, nil); status != http.StatusNotFound {
		t.Errorf("a locked vault serves it with %d", status)
	}
}

// anAttachment finds the address of a picture in some conversation.
func anAttachment(t *testing.T, s *served) string {
	t.Helper()
	for _, head := range must[bridge.ConversationPageView](t, s, "Conversations.List", `[{}]`).Items {
		thread := must[bridge.ThreadView](t, s, "Conversations.Thread", `["`+head.ID+`","",0,200]`)
		for _, message := range thread.Messages {
			for _, file := range message.Attachments {
				if file.URL == "" {
					continue
				}
				if _, body, _ := s.do(t, s.browser, "GET", s.ticket(t, file.URL), nil, nil); strings.HasPrefix(body, "\x89PNG") {
					return file.URL
				}
			}
		}
	}
	t.Fatal("no conversation has a picture")
	return ""
}

// TestNoNameOfAnAttachmentMakesAHeader: what a page asks a file to be called stays
// inside the one header for it.
func TestNoNameOfAnAttachmentMakesAHeader(t *testing.T) {
	s, _, _ := imported(t)
	address := s.ticket(t, anAttachment(t, s))
	names := []string{
		"a\r\nX-Planted: 1", "a\nX-Planted: 1", "a\x00b", `a"; filename="x.exe`, "../../x", `..\..\x`, "\u202egnp.exe", strings.Repeat("é", 400),
		"a;b=c", "a%0d%0aX-Planted: 1", "\xff\xfe", "<script>", "/etc/passwd", "C:\\x", " ",
	}
	got := 0
	for _, name := range names {
		status, _, header := s.do(t, s.browser, "GET", address+"&name="+url.QueryEscape(name), nil, nil)
		how, parameters, err := mime.ParseMediaType(header.Get("Content-Disposition"))
		if status != http.StatusOK || header.Get("X-Planted") != "" || err != nil || how != "inline" || len(parameters) > 1 ||
			strings.ContainsAny(parameters["filename"], "/\\\r\n\x00") || header.Get("Content-Type") != "image/png" {
			got++
			t.Errorf("%q gave %d %v (%v)", name, status, header, err)
		}
	}
	t.Logf("%d names tried, %d got through", len(names), got)
}
