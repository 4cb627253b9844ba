package pam_test

import (
	"bytes"
	"maps"
	"strings"
	"testing"

	"keepsake/backend/fault"
	"keepsake/backend/format/pam"
)

// parts are the texts of a bundle that a fuzzer changes.
type parts struct{ store, conversation, embeddings, attachment string }

func partsOf(f *testing.F, bundle []byte) parts {
	files := entries(f, bundle)
	return parts{files["memory-store.json"], files["conversations/conv-1.json"], files["embeddings.json"], files["attachments/aa"]}
}

// zipped is the bundle of them, with sums that fit its store. What is no document
// is taken for a zip itself.
func (p parts) zipped(t testing.TB) []byte {
	if strings.HasPrefix(p.store, "PK") {
		return []byte(p.store)
	}
	files := map[string]string{"memory-store.json": string(resummed([]byte(p.store)))}
	for name, text := range map[string]string{"conversations/conv-1.json": p.conversation, "embeddings.json": p.embeddings, "attachments/aa": p.attachment} {
		if text != "" {
			files[name] = text
		}
	}
	return zipOf(t, files)
}

// FuzzMergeBundles: of two valid bundles the result is valid, and merging once
// more leaves its memories, conversations and attachments as they are; of anything
// else there is at least no panic, and a reason.
func FuzzMergeBundles(f *testing.F) {
	o, theirs := options(nil), fullConversation()
	theirs.Messages[1].Content.Text = "something else"
	other := embeddingsOf(4)
	other[3].Vector[0] = 99
	base := bundleOf(f, o, embedded(f, 4), pam.Bundle{Embeddings: each(embeddingsOf(4)), Conversations: each([]pam.Talk{{Conversation: fullConversation()}}),
		Attachments: each([]pam.Attachment{attachment("aa", "mine")})})
	o.ExportID, o.BaseExportID, o.Since = "delta-1", o.ExportID, day
	delta := bundleOf(f, o, embedded(f, 4), pam.Bundle{Embeddings: each(other), Conversations: each([]pam.Talk{{Conversation: theirs}}),
		Attachments: each([]pam.Attachment{attachment("aa", "theirs")})})
	a, b := partsOf(f, base), partsOf(f, delta)
	bare := parts{store: string(store(f, 2, nil))}
	for _, pair := range [][2]parts{{a, b}, {b, a}, {bare, b}, {a, bare}, {{store: string(base)}, {store: string(delta)}}} {
		f.Add(pair[0].store, pair[0].conversation, pair[0].embeddings, pair[0].attachment, pair[1].store, pair[1].conversation, pair[1].embeddings, pair[1].attachment)
	}
	f.Fuzz(func(t *testing.T, s1, c1, e1, a1, s2, c2, e2, a2 string) {
		base, delta := parts{s1, c1, e1, a1}.zipped(t), parts{s2, c2, e2, a2}.zipped(t)
		merged, err := fuzzMerged(t, base, delta)
		if err != nil {
			if r := fault.From(err); r == nil || r.Reason == "" || r.Code == fault.Internal {
				t.Fatalf("no reason: %v", err)
			}
			return
		}
		if !validate(t, "base.zip", base).Valid || !validate(t, "delta.zip", delta).Valid {
			return
		}
		if v := validate(t, "merged.zip", merged); !v.Valid {
			t.Fatalf("the result is not valid: %+v\n%v", v.Errors, entries(t, merged))
		}
		again, err := fuzzMerged(t, merged, delta)
		if err != nil {
			t.Fatalf("merged again: %v", err)
		}
		if one, two := lasting(t, merged), lasting(t, again); !maps.Equal(one, two) {
			t.Fatalf("merged again:\n%v\n%v", one, two)
		}
	})
}

// fuzzMerged is Merge of two zips; one that cannot be opened is an error like any
// other.
func fuzzMerged(t testing.TB, base, delta []byte) ([]byte, error) {
	ground, err := opened(t, "base.zip", base)
	if err != nil {
		return nil, err
	}
	news, err := opened(t, "delta.zip", delta)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	_, err = pam.Merge(t.Context(), ground, news, compiled(t), pam.MergeOptions{AnyBase: true, Theirs: true}, pam.ToZip(&out, day))
	return out.Bytes(), err
}

// lasting is what of a bundle another merge with the same delta leaves as it is:
// all but the names of embeddings, which may get another sign behind them.
func lasting(t testing.TB, bundle []byte) map[string]string {
	files := entries(t, bundle)
	delete(files, "embeddings.json")
	d := parsed(t, []byte(files["memory-store.json"]))
	for i := range d["memories"].([]any) {
		delete(d.memory(i), "embedding_ref")
	}
	delete(d, "integrity")
	files["memory-store.json"] = string(resummed(encoded(t, d)))
	return files
}
