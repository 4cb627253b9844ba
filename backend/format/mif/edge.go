package mif

import (
	"encoding/json"
	"math"

	"github.com/go-json-experiment/json/jsontext"

	"keepsake/backend/jcs"
	"keepsake/backend/memory"
)

var edgeMembers = known("source target weight type created_at strengthened_count metadata")

// baseRelation is what the mapping alone makes of an edge: it leads between
// memories, and a cause is what its effect was derived from.
func baseRelation(e object, exported memory.Time) memory.Relation {
	from, to, t := recordID(ofMemory, e.string("source")), recordID(ofMemory, e.string("target")), pamRelation(e.string("type"))
	if t == memory.DerivedFrom {
		from, to = to, from
	}
	rel := memory.Relation{From: from, To: to, Type: t, CreatedAt: exported}
	if at, err := memory.ParseTime(e.string("created_at")); err == nil {
		rel.CreatedAt = at
	}
	var weight float64
	if json.Unmarshal(e["weight"], &weight) == nil && len(e["weight"]) > 0 {
		weight = math.Min(math.Max(weight, 0), 1)
		rel.Confidence = &weight
	}
	rel.ID = namedUUID(from + "\x00" + to + "\x00" + string(t) + "\x00" + e.string("type"))
	return rel
}

// baseEdge is what the mapping alone makes of a relation.
func baseEdge(rel memory.Relation) object {
	from, to := rel.From, rel.To
	if rel.Type == memory.DerivedFrom {
		from, to = to, from
	}
	weight := 1.0
	if rel.Confidence != nil {
		weight = *rel.Confidence
	}
	return object{"source": quoted(mifID(ofMemory, from)), "target": quoted(mifID(ofMemory, to)), "type": quoted(edgeType(rel.Type)),
		"weight": value(weight), "created_at": quoted(rel.CreatedAt.String())}
}

// relation makes a relation of an edge; kept is the edge in canonical JSON where
// the relation alone would not bring it back.
func relation(e object, exported memory.Time) (rel memory.Relation, kept jsontext.Value, err error) {
	text, err := jcs.Fast(e.text())
	if err != nil {
		return rel, nil, err
	}
	rel = baseRelation(e, exported)
	if pam := keptIn(e.object("metadata"), keptPAM); pam != nil {
		var whole memory.Relation
		if json.Unmarshal(objectOf(rel).over(pam).text(), &whole) == nil {
			rel = whole
		}
	}
	if differing(edgeOf(rel), e.inOwnTime("created_at")) != nil {
		kept = text
	}
	return rel, kept, nil
}

// edgeOf makes an edge of a relation.
func edgeOf(rel memory.Relation) object {
	e := baseEdge(rel)
	if lost := differing(objectOf(baseRelation(e, rel.CreatedAt)), objectOf(rel)); lost != nil {
		keep(e, keptPAM, lost)
	}
	return e
}
