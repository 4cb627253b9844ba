package grok

import (
	"context"
	"fmt"
	"strings"

	"keepsake/backend/fault"
	"keepsake/backend/importer"
	"keepsake/backend/importer/jsonstream"
	"keepsake/backend/intake"
	"keepsake/backend/memory"
)

// Read streams the conversations, then the projects, then the chats of an X
// archive.
func (Importer) Read(ctx context.Context, tree *intake.Tree, sink importer.Sink) error {
	s, err := look(ctx, tree, 0)
	if err != nil {
		return fmt.Errorf("look at files: %w", err)
	}
	r := &reading{Reading: importer.NewReading(ctx, tree, sink), assets: map[string]intake.File{}, used: map[string]bool{}}
	for _, f := range s.Files[asset] {
		r.assets[assetID(f.Path)] = f
	}
	r.CreatedFrom = "file"
	if err := r.EachElement(s.Files[backend], r.element, "conversations", "projects", "tasks", "media_posts"); err != nil {
		return err
	}
	if err := r.readArchives(s.Files[archive]); err != nil {
		return err
	}
	for range s.Files[account] {
		sink.Skipped("account")
	}
	for id := range r.assets {
		if !r.used[id] {
			sink.Skipped("asset-without-message")
		}
	}
	return r.ReadCut(s)
}

// reading is one run over one tree.
type reading struct {
	*importer.Reading
	assets map[string]intake.File // uploads by id
	used   map[string]bool
}

func (r *reading) element(it importer.Item) error {
	switch it.In {
	case "conversations":
		return r.conversation(it)
	case "projects":
		return r.project(it)
	}
	r.Sink.Unknown("record:" + it.In)
	return nil
}

// conversation gives one conversation.
func (r *reading) conversation(it importer.Item) error {
	about, responses := jsonstream.Member(it.Raw, "conversation"), jsonstream.Member(it.Raw, "responses")
	id := importer.FirstText(about, "id", "conversation_id")
	if about.Kind() != '{' || id == "" {
		r.Bad(it, true, fault.New(fault.Invalid, "grok-not-a-conversation", "Item {at} of {name} is not a conversation of Grok and was left out."))
		return nil
	}
	if importer.IsNothing(responses) {
		r.Sink.Skipped(importer.EmptyConversation)
		return nil
	}
	d, ok := r.Begin(platform, id, importer.Sum(it.Raw), it.File)
	if !ok {
		return nil
	}
	d.Provider.ExportFormatVersion = "export"
	leaf := r.about(&d.Conversation, about)
	for name, value := range jsonstream.Members(it.Raw) {
		if name != "conversation" && name != "responses" {
			importer.KeepRaw(&d.RawMetadata, name, jsonstream.Keep(value))
		}
	}
	if err := r.responses(d, responses, leaf); err != nil {
		return err
	}
	return r.Sink.Conversation(r.Ctx, *d)
}

// project gives the instructions of a project as a memory.
func (r *reading) project(it importer.Item) error {
	told := strings.TrimSpace(importer.TextIn(it.Raw, "custom_personality"))
	id := importer.FirstText(it.Raw, "workspace_id", "project_id", "id", "_id")
	if told == "" || id == "" {
		r.Sink.Skipped("project-without-instructions")
		return nil
	}
	meta := map[string]any{"project_id": id}
	if name := importer.FirstText(it.Raw, "name", "title"); name != "" {
		meta["project"] = importer.Line(name)
	}
	return r.Remember(importer.MemoryDraft{
		SourceKey: "project-instructions:" + id, Type: memory.Instruction, Content: told,
		Method: memory.ExplicitUserInput, Confidence: 0.95,
		PlatformUserID: importer.TextIn(it.Raw, "user_id"), Metadata: meta,
		CreatedAt: when(jsonstream.Member(it.Raw, "create_time")), UpdatedAt: when(jsonstream.Member(it.Raw, "modify_time")),
	})
}
