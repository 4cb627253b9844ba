package mcp_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	door "keepsake/app/mcp"
	"keepsake/app/owner"
	"keepsake/backend/core"
	"keepsake/backend/fault"
	"keepsake/backend/memory"
)

var update = flag.Bool("update", false, "write testdata anew")

// largestList is how many bytes the list of all tools may have.
const largestList = 8 << 10

// TestToolsAreThoseOfTheOwner: every tool of the owner has a description, and what a client is shown
// is what was committed.
func TestToolsAreThoseOfTheOwner(t *testing.T) {
	listed, err := door.Describe(owner.Names())
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, one := range listed {
		names = append(names, one.Name)
	}
	want := owner.Names()
	slices.Sort(want)
	if !slices.Equal(names, want) {
		t.Errorf("%v, the owner has %v", names, want)
	}
	compact, err := json.Marshal(listed)
	if err != nil {
		t.Fatal(err)
	}
	usual, err := json.Marshal(slices.DeleteFunc(slices.Clone(listed), func(one *mcp.Tool) bool { return slices.Contains(owner.Alternatives(), one.Name) }))
	if err != nil || len(usual) > largestList {
		t.Errorf("the list of tools has %d bytes, at most %d (%v)", len(usual), largestList, err)
	}
	var pretty bytes.Buffer
	if err := json.Indent(&pretty, compact, "", "  "); err != nil {
		t.Fatal(err)
	}
	pretty.WriteByte('\n')
	path := filepath.Join("testdata", "tools.json")
	if *update {
		if err := os.WriteFile(path, pretty.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	kept, err := os.ReadFile(path)
	if err != nil || !bytes.Equal(kept, pretty.Bytes()) {
		t.Errorf("%s is not what is shown (%v); go test -update writes it", path, err)
	}
}

// TestInterchangeIsAsSpecified: the tools of the Memory Interchange Format are listed as its section 8 has
// them, of which testdata/mif-8.json is a copy.
func TestInterchangeIsAsSpecified(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("testdata", "mif-8.json"))
	if err != nil {
		t.Fatal(err)
	}
	var specified []struct {
		Name        string `json:"name"`
		Description string `json:"description"`
		InputSchema any    `json:"inputSchema"`
	}
	if err := json.Unmarshal(text, &specified); err != nil || len(specified) != 2 {
		t.Fatalf("%v, %d tools", err, len(specified))
	}
	for _, want := range specified {
		listed, err := door.Describe([]string{want.Name})
		if err != nil || len(listed) != 1 {
			t.Fatalf("%s: %v", want.Name, err)
		}
		text, err := json.Marshal(listed[0].InputSchema)
		if err != nil {
			t.Fatal(err)
		}
		var schema any
		if err := json.Unmarshal(text, &schema); err != nil {
			t.Fatal(err)
		}
		if listed[0].Description != want.Description || !reflect.DeepEqual(schema, want.InputSchema) {
			t.Errorf("%s is listed as %q with %s", want.Name, listed[0].Description, text)
		}
	}
}

// TestWithoutAnOwner: an assistant is shown the usual tools, and told what to do when it calls one.
func TestWithoutAnOwner(t *testing.T) {
	s := connect(t, newClient(t, newHome(t)))
	tools, err := s.ListTools(t.Context(), nil)
	if err != nil || len(tools.Tools) != usualTools() || tools.CacheScope != "private" {
		t.Errorf("%+v, %v", tools, err)
	}
	got, err := s.CallTool(t.Context(), &mcp.CallToolParams{Name: "get_context", Arguments: owner.ContextInput{}})
	if err != nil || !got.IsError {
		t.Fatalf("%+v, %v", got, err)
	}
	if text := got.Content[0].(*mcp.TextContent).Text; text != "Keepsake is not open. Open it and unlock it, then ask again." {
		t.Error(text)
	}
	got, err = s.CallTool(t.Context(), &mcp.CallToolParams{Name: "forget_memories"})
	if err != nil || !got.IsError || !strings.HasPrefix(got.Content[0].(*mcp.TextContent).Text, "Keepsake is not open.") {
		t.Errorf("a tool that is not shown: %+v, %v", got, err)
	}
	if _, err := s.CallTool(t.Context(), &mcp.CallToolParams{Name: "no_such_tool"}); err == nil || !strings.Contains(err.Error(), "unknown tool") {
		t.Errorf("a tool that is not there: %v", err)
	}
	v := s.InitializeResult()
	if may, err := json.Marshal(v.Capabilities); err != nil || v.ServerInfo.Version != core.Version || bytes.Contains(may, []byte("logging")) {
		t.Errorf("%+v, %s, %v", v.ServerInfo, may, err)
	}
}

// newHome makes a home folder, which is short: the name of a socket has an end at 104 bytes.
func newHome(t *testing.T) string {
	t.Helper()
	short, err := os.MkdirTemp("", "ks")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(short) })
	t.Setenv("HOME", short)
	return short
}

// newClient makes a client for the vault in a home folder.
func newClient(t *testing.T, home string) *owner.Client {
	t.Helper()
	c, err := owner.NewClient(filepath.Join(home, "vault"), "cursor", filepath.Join(home, "keys"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

// open makes a vault with one memory, whose owner lets a client read it.
func open(t *testing.T) (service *core.Service, client *owner.Client, id string) {
	t.Helper()
	home := newHome(t)
	service, err := core.New(core.Config{VaultDir: filepath.Join(home, "vault"), ScratchDir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = service.Close() })
	if _, err := service.CreateVault(t.Context(), []byte("correct horse battery staple"), "test"); err != nil {
		t.Fatal(err)
	}
	r, err := service.AddMemory(t.Context(), core.NewMemory{Type: memory.Fact, Content: "Rows on Sundays.", Tags: []string{"boat-trips"}})
	if err != nil {
		t.Fatal(err)
	}
	_, made := service.MakeCircle(t.Context(), core.Circle{Name: "Work"})
	_, joined := service.JoinCircle(t.Context(), "work", []string{r.ID}, true)
	if err := errors.Join(made, joined); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		owner.Watch(ctx, service, owner.Config{Folder: t.TempDir(), Failed: func(err error) { t.Error(err) }, Listening: func() {}})
	}()
	t.Cleanup(func() { cancel(); <-done })
	client = newClient(t, home)
	for until := time.Now().Add(10 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		if _, err := client.Ready(t.Context()); err == nil { // this asks for permission, too
			break
		} else if time.Now().After(until) {
			t.Fatal(err)
		}
	}
	if _, err := service.AllowAgent(t.Context(), "cursor", core.DefaultAgentGrant("work")); err != nil {
		t.Fatal(err)
	}
	return service, client, r.ID
}

// TestResources: a memory and a tag are found by their addresses, also where letters are encoded.
func TestResources(t *testing.T) {
	_, client, id := open(t)
	s := connect(t, client)
	encoded := strings.ReplaceAll(id, "-", "%2D")
	for _, uri := range []string{"topic/boat-trips", "topic/boat%2Dtrips", "topic/%62oat-trips", "memory/" + id, "memory/" + encoded, "profile"} {
		got, err := s.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: "keepsake://" + uri})
		if err != nil || len(got.Contents) != 1 || !strings.Contains(got.Contents[0].Text, "Rows on Sundays.") {
			t.Errorf("%s: %+v, %v", uri, got, err)
		}
	}
	for _, uri := range []string{"memory/never", "memory/%zz", "topic/%zz", "memory/a/b"} {
		if got, err := s.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: "keepsake://" + uri}); err == nil {
			t.Errorf("%s: %+v", uri, got)
		}
	}
}

// TestCompletions: the tag of a resource and the topic of a prompt complete to tags, over both ways, and
// nothing else does.
func TestCompletions(t *testing.T) {
	service, client, _ := open(t)
	if _, err := service.AddMemory(t.Context(), core.NewMemory{Type: memory.Fact, Content: "Boats sink.", Tags: []string{"boat-canary"}}); err != nil {
		t.Fatal(err)
	}
	resource := func(uri string) *mcp.CompleteReference {
		return &mcp.CompleteReference{Type: "ref/resource", URI: "keepsake://" + uri}
	}
	prompt := func(name string) *mcp.CompleteReference {
		return &mcp.CompleteReference{Type: "ref/prompt", Name: name}
	}
	completes := func(s *mcp.ClientSession, ref *mcp.CompleteReference, argument, value string) (mcp.CompletionResultDetails, error) {
		got, err := s.Complete(t.Context(), &mcp.CompleteParams{Ref: ref, Argument: mcp.CompleteParamsArgument{Name: argument, Value: value}})
		if err != nil {
			return mcp.CompletionResultDetails{}, err
		}
		return got.Completion, nil
	}
	ways := []*mcp.ClientSession{connect(t, client), listen(t, client).connect(t)}
	boats := mcp.CompletionResultDetails{Values: []string{"boat-trips"}, Total: 1}
	for _, s := range ways {
		if s.InitializeResult().Capabilities.Completions == nil {
			t.Error("completions are not advertised")
		}
		for _, one := range []struct {
			ref             *mcp.CompleteReference
			argument, value string
			want            mcp.CompletionResultDetails
		}{
			{resource("topic/{tag}"), "tag", "", boats}, {resource("topic/{tag}"), "tag", "boat", boats}, {prompt("load_context"), "topic", "Bo", boats},
			{prompt("load_context"), "topic", "trains", mcp.CompletionResultDetails{Values: []string{}}}, {resource("memory/{id}"), "id", "", mcp.CompletionResultDetails{Values: []string{}}},
		} {
			got, err := completes(s, one.ref, one.argument, one.value)
			if err != nil || !reflect.DeepEqual(got, one.want) {
				t.Errorf("%+v %s %q: %+v, %v", one.ref, one.argument, one.value, got, err)
			}
		}
		for _, ref := range []*mcp.CompleteReference{resource("topic/{tag}"), resource("profile"), prompt("load_context"), prompt("nothing")} {
			_, err := completes(s, ref, "other", "")
			var wrong *jsonrpc.Error
			if !errors.As(err, &wrong) || wrong.Code != jsonrpc.CodeInvalidParams {
				t.Errorf("%+v: %v", ref, err)
			}
		}
	}
	for i := range 150 {
		r, added := service.AddMemory(t.Context(), core.NewMemory{Type: memory.Fact, Content: fmt.Sprint("Boat ", i), Tags: []string{fmt.Sprint("boat-", i), "boats"}})
		if _, err := service.JoinCircle(t.Context(), "work", []string{r.ID}, true); errors.Join(added, err) != nil {
			t.Fatal(added, err)
		}
	}
	for _, s := range ways {
		got, err := completes(s, resource("topic/{tag}"), "tag", "boat")
		if err != nil || got.Total != 152 || !got.HasMore || len(got.Values) != 100 || got.Values[0] != "boats" {
			t.Errorf("%+v, %v", got, err)
		}
	}
	if err := service.Lock(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, s := range ways {
		if _, err := completes(s, resource("topic/{tag}"), "tag", "boat"); err == nil || !strings.Contains(err.Error(), "Keepsake is locked. Unlock it in its window, then ask again.") {
			t.Error(err)
		}
	}
}

// TestAlternatives: tools in other words are there where they are named, and then no others.
func TestAlternatives(t *testing.T) {
	_, client, id := open(t)
	s := connect(t, client, owner.Alternatives()...)
	listed, err := s.ListTools(t.Context(), nil)
	if err != nil || len(listed.Tools) != len(owner.Alternatives()) {
		t.Fatalf("%+v, %v", listed, err)
	}
	ask := func(tool string, arguments, into any) {
		t.Helper()
		got, err := s.CallTool(t.Context(), &mcp.CallToolParams{Name: tool, Arguments: arguments})
		if err != nil || got.IsError {
			t.Fatalf("%s: %+v, %v", tool, got, err)
		}
		text, err := json.Marshal(got.StructuredContent)
		if err == nil {
			err = json.Unmarshal(text, into)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	var documents owner.Documents
	ask("search", map[string]any{"query": "rows"}, &documents)
	want := owner.Document{ID: id, Title: "Rows on Sundays.", URL: "keepsake://memory/" + id}
	if len(documents.Results) != 1 || documents.Results[0] != want {
		t.Errorf("%+v", documents)
	}
	var document owner.Document
	ask("fetch", map[string]any{"id": id}, &document)
	if want.Text = want.Title; document != want {
		t.Errorf("%+v", document)
	}
	var retrieved core.AgentRetrieved
	ask("retrieve_memory", map[string]any{"user_id": "anybody", "query": "rows", "category_filter": []string{"learned_context"}, "time_range": map[string]string{"after": "2000-01-01T00:00:00Z"}}, &retrieved)
	if len(retrieved.Memories) != 1 || retrieved.Memories[0].ID != id || retrieved.Memories[0].ContentType != "fact" || retrieved.Searched != 1 {
		t.Errorf("%+v", retrieved)
	}
	var stored core.AgentStored
	ask("store_memory", map[string]any{"user_id": "anybody", "category": "preference", "content_type": "preference", "content": "Likes rain."}, &stored)
	if stored.ID == "" || stored.Embedded || stored.Hash != memory.ContentHash("Likes rain.") || stored.Status != "proposed" {
		t.Errorf("%+v", stored)
	}
	if got, err := s.CallTool(t.Context(), &mcp.CallToolParams{Name: "get_context", Arguments: map[string]any{}}); err == nil {
		t.Errorf("a tool that was not named: %+v", got)
	}
	if err := door.Serve(t.Context(), client, []string{"nothing"}, io.NopCloser(strings.NewReader("")), nopCloser{io.Discard}); fault.From(err).Reason != "mcp-tool" {
		t.Error(err)
	}
}

// usualTools counts the tools that an assistant is shown where nobody can say what it may.
func usualTools() int {
	return len(slices.DeleteFunc(owner.Usual(), func(name string) bool { return slices.Contains(owner.Alternatives(), name) }))
}

// connect lets a client of the SDK speak with the server over pipes.
func connect(t *testing.T, asks *owner.Client, only ...string) *mcp.ClientSession {
	t.Helper()
	in, toServer := io.Pipe()
	fromServer, out := io.Pipe()
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() {
		err := door.Serve(ctx, asks, only, in, out)
		_, _ = in.Close(), out.Close()
		done <- err
	}()
	c := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil)
	s, err := c.Connect(ctx, &mcp.IOTransport{Reader: fromServer, Writer: toServer}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = s.Close()
		cancel()
		if err := <-done; err != nil {
			t.Errorf("the server ended with %v", err)
		}
	})
	return s
}
