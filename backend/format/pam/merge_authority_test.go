package pam_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"keepsake/backend/format/pam"
	"keepsake/backend/memory"
)

// twoBundles are a base, and a delta that changes everything of it: the words of memory
// 0, the status of 1, the access of 2, the embeddings of 3 and 4 (which base has none
// of), a relation, the index, two conversations and an attachment. It adds relations
// between memories of base, and a memory, a conversation and a relation of its own.
func twoBundles(t *testing.T, base, delta *pam.Key) (one, other []byte) {
	t.Helper()
	talk := func(id, text string) pam.Talk {
		c := fullConversation()
		c.ID, c.Messages[1].Content.Text = id, text
		return pam.Talk{Conversation: c}
	}
	relation := func(id, from, to string, is memory.RelationType) memory.Relation {
		return memory.Relation{ID: id, From: from, To: to, Type: is, CreatedAt: day}
	}
	entry := func(id, title string) pam.IndexEntry {
		return pam.IndexEntry{ID: id, Platform: "chatgpt", Title: title, Temporal: memory.ConversationTemporal{CreatedAt: day}}
	}
	bundle := func(o pam.Options, ids []int, change func(*memory.Record), vectors map[int]float64, src pam.Source, all pam.Bundle) []byte {
		var memories []pam.Memory
		var embeddings []pam.Embedding
		for _, i := range ids {
			r := record(i)
			if at, ok := vectors[i]; ok {
				e := embeddingsOf(9)[i]
				e.Vector, e.Storage = []float64{at, 0, 0}, nil
				embeddings, r.EmbeddingRef = append(embeddings, e), e.ID
			}
			change(&r)
			text, err := pam.EncodeMemory(r)
			if err != nil {
				t.Fatal(err)
			}
			memories = append(memories, pam.Memory{ID: r.ID, Canonical: text})
		}
		src.Memories, all.Embeddings = each(memories), each(embeddings)
		return bundleOf(t, o, src, all)
	}
	mem := func(i int) string { return record(i).ID }
	one = bundle(options(base), []int{0, 1, 2, 3, 4}, func(*memory.Record) {}, map[int]float64{3: 1},
		pam.Source{Index: []pam.IndexEntry{entry("conv-1", "T"), entry("conv-2", "T")}, Relations: []memory.Relation{relation("r1", mem(0), mem(1), memory.Supports)}},
		pam.Bundle{Conversations: each([]pam.Talk{talk("conv-1", "mine")}), Attachments: each([]pam.Attachment{attachment("aa", "mine")})})
	other = bundle(options(delta), []int{0, 1, 2, 3, 4, 8}, func(r *memory.Record) {
		switch r.ID {
		case mem(0):
			r.Content = "theirs"
			r.ContentHash = memory.ContentHash(r.Content)
		case mem(1):
			r.Status = memory.Retracted
		case mem(2):
			r.Access = &memory.Access{Visibility: memory.Public, Exportable: true}
		}
	}, map[int]float64{3: 2, 4: 2},
		pam.Source{Index: []pam.IndexEntry{entry("conv-1", "theirs"), entry("conv-2", "T"), entry("conv-3", "T")}, Relations: []memory.Relation{
			relation("r1", mem(0), mem(1), memory.Contradicts), relation("r2", mem(0), mem(2), memory.Supports),
			relation("r3", mem(8), mem(3), memory.Supersedes), relation("r4", mem(8), mem(3), memory.Supports)}},
		pam.Bundle{Conversations: each([]pam.Talk{talk("conv-1", "theirs"), talk("conv-2", "theirs"), talk("conv-3", "theirs")}),
			Attachments: each([]pam.Attachment{attachment("aa", "theirs")})})
	return one, other
}

// outline is what a merged bundle of twoBundles says, part by part.
func outline(t *testing.T, files map[string]string) map[string]string {
	t.Helper()
	d, all := parsed(t, []byte(files["memory-store.json"])), map[string]string{}
	for i := range d["memories"].([]any) {
		m := d.memory(i)
		says := m["content"].(string)
		if says != "theirs" {
			says = "mine"
		}
		all[m["id"].(string)] = fmt.Sprint(says, " ", m["status"], " ", inner(m, "access")["visibility"])
	}
	for _, r := range d["relations"].([]any) {
		all[r.(map[string]any)["id"].(string)] = r.(map[string]any)["type"].(string)
	}
	for _, e := range d["conversations_index"].([]any) {
		all["entry "+e.(map[string]any)["id"].(string)] = e.(map[string]any)["title"].(string)
	}
	var embeddings struct {
		Embeddings []struct {
			MemoryID string `json:"memory_id"`
			Vector   []float64
		}
	}
	if err := json.Unmarshal([]byte(files["embeddings.json"]), &embeddings); err != nil {
		t.Fatal(err)
	}
	for _, e := range embeddings.Embeddings {
		all["vector "+e.MemoryID] = fmt.Sprint(e.Vector[0])
	}
	for _, id := range []string{"conv-1", "conv-2", "conv-3"} {
		if text := files[pam.ConversationRef(id)]; text != "" {
			all[id] = map[bool]string{true: "theirs", false: "mine"}[strings.Contains(text, `"theirs"`)]
		}
	}
	all["aa"] = files["attachments/aa"]
	return all
}

// Promise (H1): a delta changes what another file has only by the signature of whoever
// signed that file or of the person, or by the person's word; whatever stays is told
// with its fields before and after.
func TestADeltaChangesByItsSignatureOnly(t *testing.T) {
	mine := key(t)
	mallory, err := pam.FromSeed(bytes.Repeat([]byte{9}, 32))
	if err != nil {
		t.Fatal(err)
	}
	own, err := pam.ParsePublic(mallory.Public().Multibase())
	if err != nil {
		t.Fatal(err)
	}
	stays := map[string]string{
		"mem-00000": "mine active shared", "mem-00001": "mine active shared", "mem-00002": "mine active shared", "mem-00003": "mine active shared", "mem-00004": "mine active shared",
		"mem-00008": "mine active shared", "r1": "supports", "r4": "supports", "entry conv-1": "T", "entry conv-2": "T", "entry conv-3": "T",
		"vector mem-00003": "1", "conv-1": "mine", "conv-3": "theirs", "aa": "mine",
	}
	memories := map[string]string{"mem-00000": "theirs active shared", "mem-00001": "mine retracted shared"}
	beside := map[string]string{
		"r1": "contradicts", "r2": "supports", "r3": "supersedes", "entry conv-1": "theirs",
		"vector mem-00003": "2", "vector mem-00004": "2", "conv-1": "theirs", "conv-2": "theirs", "aa": "theirs",
	}
	kept := []string{
		"memory mem-00000  ", "memory mem-00001  ", "memory mem-00002  ", "embedding mem-00003  ", "embedding mem-00004  ", "relation r1  ", "relation r2  ", "relation r3  ",
		"entry conv-1 T ", "conversation conv-1 T ", "conversation conv-2 T ", "attachment aa  ",
	}
	withoutDigest := func(bundle []byte) []byte {
		files := entries(t, bundle)
		delete(files, "keepsake-digest.jcs")
		return zipOf(t, files)
	}
	same := func(bundle []byte) []byte { return bundle }
	suggested := map[string]pam.Choice{"mem-00000": {Of: pam.OfBase}, "mem-00002": {Of: pam.OfBoth, Fields: []string{"/access/visibility"}}}
	const wider = "memory mem-00002  access-wider"
	replaced := []string{wider, "conversation conv-1 T ", "attachment aa  ", "embedding mem-00003  "}
	for name, c := range map[string]struct {
		base, delta *pam.Key
		packed      func([]byte) []byte
		options     pam.MergeOptions
		want        []map[string]string // instead of what stays
		why         pam.ConflictReason
		kept        []string // what is told with why
		told        []string // what is told besides
	}{
		"unsigned":               {mine, nil, same, pam.MergeOptions{}, nil, pam.ConflictNotSigned, kept, nil},
		"neither is signed":      {nil, nil, same, pam.MergeOptions{}, nil, pam.ConflictNotSigned, kept, nil},
		"another key":            {mine, mallory, same, pam.MergeOptions{}, nil, pam.ConflictOtherSigner, kept, nil},
		"base is not signed":     {nil, mallory, same, pam.MergeOptions{}, nil, pam.ConflictOtherSigner, kept, nil},
		"the same key":           {mine, mine, same, pam.MergeOptions{}, []map[string]string{memories, beside}, "", nil, replaced},
		"over the memories only": {mine, mine, withoutDigest, pam.MergeOptions{}, []map[string]string{memories}, pam.ConflictNotCovered, kept[3:], []string{wider}},
		"a key of the person":    {mine, mallory, same, pam.MergeOptions{Trust: pam.Trust{Own: []pam.Public{own}}}, []map[string]string{memories, beside}, "", nil, replaced},
		"the person's word":      {mine, nil, same, pam.MergeOptions{Theirs: true}, []map[string]string{memories, beside}, "", nil, append([]string{"memory mem-00000  ", "memory mem-00001  "}, replaced...)},
		"of one memory": {mine, mallory, same, pam.MergeOptions{Choices: map[string]pam.Choice{"mem-00002": {Of: pam.OfDelta}}}, []map[string]string{{"mem-00002": "mine active public"}},
			pam.ConflictOtherSigner, slices.Concat(kept[:2], kept[3:]), []string{"memory mem-00002  "}},
		"as a third suggests":  {mine, mallory, same, pam.MergeOptions{Suggested: suggested}, nil, pam.ConflictOtherSigner, kept, nil},
		"suggested and signed": {mine, mine, same, pam.MergeOptions{Suggested: suggested}, []map[string]string{memories, beside, {"mem-00000": stays["mem-00000"]}}, "", nil, replaced},
	} {
		base, delta := twoBundles(t, c.base, c.delta)
		c.options.AnyBase, c.options.ExportID, c.options.ExportedBy, c.options.Date = true, "merged", "keepsake/0.1.0", day
		var out bytes.Buffer
		m, err := pam.Merge(t.Context(), tree(t, "base.zip", base), tree(t, "delta.zip", c.packed(delta)), compiled(t), c.options, pam.ToZip(&out, day))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if v := validate(t, "x.zip", out.Bytes()); !v.Valid || len(v.Warnings) > 0 {
			t.Errorf("%s: %+v", name, v)
		}
		want := maps.Clone(stays)
		for _, more := range c.want {
			maps.Copy(want, more)
		}
		if got := outline(t, entries(t, out.Bytes())); !maps.Equal(got, want) {
			t.Errorf("%s:\n%v, not\n%v", name, got, want)
		}
		for _, said := range c.kept {
			c.told = append(c.told, said+string(c.why))
		}
		// Two relations and a vector are new to memories of base.
		if want := map[bool]int{true: 3}[c.why != ""]; m.LeftOut["not-allowed"] != want {
			t.Errorf("%s: %d additions are said to be left out, not %d", name, m.LeftOut["not-allowed"], want)
		}
		if got, want := slices.Sorted(slices.Values(told(m))), slices.Sorted(slices.Values(c.told)); !slices.Equal(got, want) {
			t.Errorf("%s: told\n%q, not\n%q", name, got, want)
		}
		for _, change := range m.Changes {
			if isFile := slices.Contains([]string{"embedding", "conversation", "attachment"}, change.Kind); isFile != (len(change.Fields) == 0) {
				t.Errorf("%s: %+v", name, change)
			}
		}
	}
}
