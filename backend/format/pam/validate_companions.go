package pam

import (
	"context"
	"path"
	"strings"
)

// companions checks the files beside the store: conversations and embeddings.
func (v *validator) companions(ctx context.Context, facts *storeFacts) error {
	named := ids{}
	for _, id := range facts.indexOrder {
		entry := facts.conversations[id]
		if entry.Storage == nil || entry.Storage.Type != "file" {
			continue
		}
		file, err := v.companion(ctx, entry, facts.text("schema_version"))
		if err != nil {
			return err
		}
		named[file] = true
	}
	v.strays(named)
	return v.embeddingCompanion(ctx, facts)
}

// companion checks the file of one index entry and returns its path.
func (v *validator) companion(ctx context.Context, entry *indexView, version string) (string, error) {
	at := entry.path + "/storage/ref"
	local := isInside(entry.Storage.Ref)
	v.check(local, "storage-ref", at, "leaves the bundle")
	if !local {
		return "", nil
	}
	f, ok := sibling(v.tree, v.store, entry.Storage.Ref)
	if isBundle := len(v.tree.Files()) > 1; !isBundle {
		v.advise(false, "storage-ref", at, "names a file, but this is a single document")
		return "", nil
	}
	v.check(ok, "storage-ref", at, "names a file that is not in the bundle")
	if !ok {
		return "", nil
	}
	c, err := v.conversation(ctx, f, f.Path)
	if err != nil || c == nil {
		return f.Path, err
	}
	v.check(c.id == entry.ID, "conversation-id", f.Path+"#/id", "is not the id of its index entry")
	v.check(c.platform == entry.Platform, "platform", f.Path+"#/provider/name", "is not the platform of its index entry")
	v.check(c.version == version, "schema-version", f.Path+"#/schema_version", "differs from the memory store's")
	v.advise(entry.MessageCount == nil || *entry.MessageCount == c.messages, "message-count", f.Path+"#/messages", "are not as many as the index entry says")
	return f.Path, nil
}

// strays are files among the conversations that no index entry names.
func (v *validator) strays(named ids) {
	folder := path.Join(path.Dir(v.store.Path), "conversations") + "/"
	for _, f := range v.tree.Files() {
		if strings.HasPrefix(f.Path, folder) && strings.HasSuffix(f.Path, ".json") {
			v.advise(named[f.Path], "conversation-file", f.Path, "is named by no entry of conversations_index")
		}
	}
}

func (v *validator) embeddingCompanion(ctx context.Context, facts *storeFacts) error {
	f, ok := sibling(v.tree, v.store, "embeddings.json")
	if !ok {
		for m := range facts.each {
			v.advise(m.embedding == "", "embedding-ref", m.path()+"/embedding_ref", "is set, but there is no embeddings file")
		}
		return nil
	}
	e, err := v.embeddings(ctx, f, f.Path)
	if err != nil || e == nil {
		return err
	}
	v.check(e.version == facts.text("schema_version"), "schema-version", f.Path+"#/schema_version", "differs from the memory store's")
	for _, id := range e.order {
		m, ok := facts.memory(e.memoryOf[id])
		v.check(ok, "embedding-memory", e.path[id]+"/memory_id", "is not a memory of this export")
		v.advise(!ok || m.embedding == id, "embedding-ref", e.path[id]+"/id", "is not repeated in embedding_ref of its memory")
	}
	for m := range facts.each {
		v.check(m.embedding == "" || e.memoryOf[m.embedding] == m.id, "embedding-ref", m.path()+"/embedding_ref", "does not name the embedding of this memory")
	}
	return nil
}
