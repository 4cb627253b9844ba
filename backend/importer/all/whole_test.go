package all_test

import (
	"context"
	"testing"

	"keepsake/backend/importer"
	"keepsake/backend/importer/all"
	. "keepsake/backend/importer/importertest"
	"keepsake/backend/importer/importertest/gen"
)

// TestWholeExports: only an export as it was downloaded says that it holds all
// there is; a part of one, or a file out of one, does not.
func TestWholeExports(t *testing.T) {
	zip := func(name string, data []byte) Fixture { return Fixture{Files: []gen.File{{Name: name, Data: data}}} }
	chatGPT := func(era gen.Era) []byte {
		data, _ := gen.ChatGPT(gen.ChatGPTOptions{Seed: 1, Era: era})
		return data
	}
	sharded, _ := gen.ChatGPTFiles(gen.ChatGPTOptions{Seed: 1, Era: gen.Sharded, ShardSize: 2})
	lacking := func(name string) (kept []gen.File) {
		for _, f := range sharded {
			if f.Name != name {
				kept = append(kept, f)
			}
		}
		return kept
	}
	claude := func(layout gen.Layout, n int) Fixture {
		files, _ := gen.ClaudeZips(layout, gen.ClaudeOptions{Seed: 1})
		return Fixture{Files: files[:len(files)-n]}
	}
	deepSeek, _ := gen.DeepSeek(1, 3, false)
	grok, _ := gen.Grok(gen.GrokOptions{Seed: 1})
	both, conversations, nothing := importer.Whole{Conversations: true, Memories: true}, importer.Whole{Conversations: true}, importer.Whole{}
	for name, c := range map[string]struct {
		fixture Fixture
		want    importer.Whole
	}{
		"chatgpt single":             {zip("export.zip", chatGPT(gen.Single)), conversations},
		"chatgpt shards":             {zip("export.zip", gen.Zip(sharded)), conversations},
		"chatgpt shards, one gone":   {zip("export.zip", gen.Zip(lacking("conversations-001.json"))), nothing},
		"chatgpt shards, no list":    {zip("export.zip", gen.Zip(lacking("export_manifest.json"))), nothing},
		"chatgpt portal":             {zip("chatgpt_archive_1.zip", chatGPT(gen.Portal)), nothing},
		"chatgpt, two exports":       {Fixture{Files: []gen.File{{Name: "a.zip", Data: chatGPT(gen.Single)}, {Name: "b.zip", Data: chatGPT(gen.Slim)}}}, nothing},
		"chatgpt, one conversation":  {zip("chat.json", chatGPT(gen.Loose)), nothing},
		"claude single":              {claude(gen.OneZip, 0), both},
		"claude batches":             {claude(gen.Batches, 0), nothing},
		"claude, one of the batches": {claude(gen.Batches, 1), nothing},
		"claude parts":               {claude(gen.Parts, 0), both},
		"deepseek":                   {zip("export.zip", deepSeek), conversations},
		"grok":                       {zip("export.zip", grok), conversations},
	} {
		t.Run(name, func(t *testing.T) {
			found, err := all.Importers().Match(context.Background(), c.fixture.Tree(t))
			if err != nil || found.Match.Whole != c.want {
				t.Errorf("%+v, want %+v; %v", found.Match, c.want, err)
			}
		})
	}
}
