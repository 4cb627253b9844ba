package pam

import (
	"context"
	"path"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"keepsake/backend/intake"
	"keepsake/backend/schema"
)

// CheckCompanions checks the files beside a store, conversations and embeddings, against
// their schemas and nothing more. It returns what they break, at most maxProblems; a file
// or a tree without a store breaks nothing here.
func CheckCompanions(ctx context.Context, tree *intake.Tree, rules *schema.Set) ([]Finding, error) {
	v := &validator{rules: rules, tree: tree}
	store, err := findStore(tree)
	if err != nil {
		return nil, nil
	}
	for _, f := range tree.Files() {
		switch name, inside := within(path.Dir(store.Path), f.Path); {
		case inside && name == EmbeddingsName:
			err = v.companionConforms(ctx, f, schema.Embeddings, embeddingMembers, "embeddings", schema.Embedding)
		case inside && isConversation(name):
			err = v.companionConforms(ctx, f, schema.Conversation, conversationMembers, "messages", schema.Message)
		}
		if err != nil {
			return nil, err
		}
	}
	return v.out.Errors, nil
}

// isConversation reports a conversation file by its path in the bundle.
func isConversation(name string) bool {
	return strings.HasPrefix(name, conversationFolder) && strings.HasSuffix(name, ".json")
}

// companionConforms checks one file, whose elements stream, against its schema.
func (v *validator) companionConforms(ctx context.Context, f intake.File, kind schema.Kind, members []string, elements string, element schema.Kind) error {
	root, whole, err := v.walkDocument(ctx, f, f.Path, members, visitor{element: func(array string, i int, raw jsontext.Value) error {
		if array == elements {
			v.conforms(element, at(f.Path, pointer(array, i)), raw)
		}
		return nil
	}})
	if err == nil && whole {
		v.conformsRoot(kind, at(f.Path, ""), root)
	}
	return err
}

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
	v.check(local, ruleRefLeaves, at, entry.Storage.Ref)
	if !local {
		return "", nil
	}
	f, ok := sibling(v.tree, v.store, entry.Storage.Ref)
	if isLoose(v.tree, v.store) {
		v.advise(false, ruleRefAlone, at, entry.Storage.Ref)
		return "", nil
	}
	v.check(ok, ruleRefMissing, at, entry.Storage.Ref)
	if !ok {
		return "", nil
	}
	c, seen := v.seen[f.Path] // more than one entry may name it
	if !seen {
		var err error
		if c, err = v.conversation(ctx, f, f.Path); err != nil {
			return f.Path, err
		}
		v.seen[f.Path] = c
	}
	if c == nil {
		return f.Path, nil
	}
	v.check(c.id == entry.ID, ruleConversationID.expects(entry.ID), f.Path+"#/id", c.id)
	v.check(c.platform == entry.Platform, rulePlatform.expects(entry.Platform), f.Path+"#/provider/name", c.platform)
	v.check(c.version == version, ruleSameVersion.expects(version), f.Path+"#/schema_version", c.version)
	if said := entry.MessageCount; said.Kind() == '0' {
		n, ok := wholeOf(said)
		v.advise(ok && n == int64(c.messages), ruleMessageCount.expects(string(said)), f.Path+"#/messages", strconv.Itoa(c.messages))
	}
	return f.Path, nil
}

// strays are files among the conversations that no index entry names.
func (v *validator) strays(named ids) {
	folder := path.Dir(v.store.Path)
	for _, f := range v.tree.Files() {
		if name, inside := within(folder, f.Path); inside && isConversation(name) {
			v.advise(named[f.Path], ruleStray, f.Path, "")
		}
	}
}

func (v *validator) embeddingCompanion(ctx context.Context, facts *storeFacts) error {
	f, ok := sibling(v.tree, v.store, EmbeddingsName)
	if !ok {
		for m := range facts.each {
			v.advise(m.embedding == "", ruleEmbeddingFile, m.path()+"/embedding_ref", m.embedding)
		}
		return nil
	}
	e, err := v.embeddings(ctx, f, f.Path)
	if err != nil || e == nil {
		return err
	}
	version := facts.text("schema_version")
	v.check(e.version == version, ruleSameVersion.expects(version), f.Path+"#/schema_version", e.version)
	for _, id := range e.order {
		m, ok := facts.memory(e.memoryOf[id])
		v.check(ok, ruleEmbeddingMemory, e.path[id]+"/memory_id", e.memoryOf[id])
		v.advise(!ok || m.embedding == id, ruleEmbeddingUnnamed.expects(id), e.path[id]+"/id", m.embedding)
	}
	for m := range facts.each {
		v.check(m.embedding == "" || e.memoryOf[m.embedding] == m.id, ruleEmbeddingRef, m.path()+"/embedding_ref", m.embedding)
	}
	return nil
}
