package pam

import (
	"context"
	"strconv"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"keepsake/backend/intake"
	"keepsake/backend/schema"
)

// embeddingMembers are the members of the embeddings file's root (§12.2).
var embeddingMembers = []string{"schema", "schema_version", "embeddings"}

// embeddingFacts is what the store's memories are compared with.
type embeddingFacts struct {
	version  string
	memoryOf map[string]string // embedding id → memory id
	order    []string
	path     map[string]string
	at       places // in the array
}

func (v *validator) embeddings(ctx context.Context, f intake.File, prefix string) (*embeddingFacts, error) {
	facts := &embeddingFacts{memoryOf: map[string]string{}, path: map[string]string{}, at: places{}}
	memories := places{}
	root, whole, err := v.walkDocument(ctx, f, prefix, embeddingMembers, visitor{element: func(array string, i int, raw jsontext.Value) error {
		if array == "embeddings" {
			v.embedding(facts, memories, prefix, i, raw)
		}
		return nil
	}})
	if err != nil {
		return nil, err
	}
	if !whole {
		return nil, nil
	}
	v.conformsRoot(schema.Embeddings, at(prefix, ""), root)
	facts.version = textOf(root, "schema_version")
	return facts, nil
}

func (v *validator) embedding(facts *embeddingFacts, memories places, prefix string, i int, raw jsontext.Value) {
	path := at(prefix, pointer("embeddings", i))
	var e struct {
		ID         string            `json:"id"`
		MemoryID   string            `json:"memory_id"`
		Dimensions jsontext.Value    `json:"dimensions"` // any number
		CreatedAt  stated            `json:"created_at"`
		Vector     []jsontext.Value  `json:"vector"`
		Storage    *EmbeddingStorage `json:"storage"`
	}
	if !v.conforms(schema.Embedding, path, raw) || json.Unmarshal(raw, &e) != nil {
		return
	}
	_, twice := facts.memoryOf[e.ID]
	v.unique(facts.at, e.ID, ruleEmbeddingID, path+"/id", i)
	v.unique(memories, e.MemoryID, ruleEmbeddingTwice, path+"/memory_id", i)
	v.instant(path+"/created_at", e.CreatedAt)
	if s := e.Storage; s != nil && s.Type == "file" {
		v.check(isInside(s.Ref), ruleRefLeaves, path+"/storage/ref", s.Ref)
	}
	if length := len(e.Vector); e.Vector != nil {
		n, ok := wholeOf(e.Dimensions)
		v.check(ok && n == int64(length), ruleEmbeddingDimensions.expects(strconv.Itoa(length)), path+"/dimensions", string(e.Dimensions))
	}
	if !twice {
		facts.order = append(facts.order, e.ID)
	}
	facts.memoryOf[e.ID], facts.path[e.ID] = e.MemoryID, path
}
