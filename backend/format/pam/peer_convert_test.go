package pam_test

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"keepsake/backend/format/pam"
	"keepsake/backend/importer/chatgpt"
	"keepsake/backend/importer/importertest"
	"keepsake/backend/importer/importertest/gen"
	"keepsake/backend/intake"
)

// TestOfficialSDKConverts lets the official SDK convert a ChatGPT export, and
// validates what comes out; what we make of the same export is validated by the
// SDK.
func TestOfficialSDKConverts(t *testing.T) {
	t.Parallel()
	python, dir := official(t), t.TempDir()
	zipped, truth := gen.ChatGPT(gen.ChatGPTOptions{Seed: 4, Conversations: 12, Turns: 6})
	if err := os.WriteFile(filepath.Join(dir, "export.zip"), zipped, 0o600); err != nil {
		t.Fatal(err)
	}
	ours := convert(t, filepath.Join(dir, "ours"), zipped)
	cmd := exec.Command(python, "testdata/sdk_convert.py", dir)
	var complaint bytes.Buffer
	cmd.Stderr = &complaint
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, &complaint)
	}
	var said struct {
		Conversations, Messages, Read int
		Issues                        []string
	}
	if err := json.Unmarshal(out, &said); err != nil {
		t.Fatal(err)
	}
	for _, issue := range said.Issues {
		t.Errorf("the SDK on our conversion: %s", issue)
	}
	if said.Read != ours+1 || ours < len(truth.Conversations) {
		t.Errorf("the SDK read %d files; ours are %d conversations, there are %d", said.Read, ours, len(truth.Conversations))
	}
	v, err := pam.Validate(context.Background(), folder(t, filepath.Join(dir, "converted")), compiled(t))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range append(v.Errors, v.Warnings...) {
		if f.Check != "message-order" { // the SDK keeps the order of the provider's map, which is none
			t.Errorf("we on the SDK's conversion: %+v", f)
		}
	}
	if said.Messages == 0 || v.ChecksRun < said.Messages {
		t.Errorf("%d messages, %d checks", said.Messages, v.ChecksRun)
	}
	t.Logf("the SDK converted %d conversations with %d messages, %d checks of ours hold; it read %d of ours", said.Conversations, said.Messages, v.ChecksRun, ours)
}

// convert makes a bundle of a ChatGPT export, and tells of how many
// conversations.
func convert(t *testing.T, dir string, zipped []byte) int {
	t.Helper()
	recorded := importertest.Read(t, chatgpt.Importer{}, tree(t, "export.zip", zipped))
	var conversations []pam.Talk
	var index []pam.IndexEntry
	for i := range recorded.Conversations {
		c := &recorded.Conversations[i].Conversation
		conversations = append(conversations, pam.Talk{Conversation: c})
		index = append(index, pam.IndexEntry{ID: c.ID, Platform: c.Provider.Name, Title: c.Title, Temporal: c.Temporal, MessageCount: new(len(c.Messages))})
	}
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	bundle := pam.Bundle{Conversations: each(conversations)}
	if _, err := pam.WriteFolder(dir, pam.Source{Memories: each[pam.Memory](nil), Index: index}, bundle, options(key(t))); err != nil {
		t.Fatal(err)
	}
	if v, err := pam.Validate(context.Background(), folder(t, dir), compiled(t)); err != nil || !v.Valid {
		t.Errorf("our own conversion: %+v, %v", v, err)
	}
	return len(conversations)
}

func folder(t *testing.T, dir string) *intake.Tree {
	t.Helper()
	src, err := intake.FromPath(dir)
	if err != nil {
		t.Fatal(err)
	}
	tr, err := intake.Open(context.Background(), []intake.Source{src}, intake.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = tr.Close() })
	return tr
}
