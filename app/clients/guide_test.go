package clients_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"keepsake/app/clients"
)

// TestEachClientHasItsPage: the guide has a page for each assistant in both languages, which names its
// command and says of trying it what docs/agents.md says, and the common page leads to it.
func TestEachClientHasItsPage(t *testing.T) {
	docs := filepath.Join("..", "..", "docs")
	row := regexp.MustCompile("(?m)^\\| `([a-z-]+)` \\|.*\\| ([^|]+) \\|$")
	tried := map[string]string{}
	for _, m := range row.FindAllStringSubmatch(page(t, docs, "agents.md"), -1) {
		tried[m[1]] = m[2]
	}
	for _, language := range []struct{ end, tried, not string }{{".md", "**Tried**: ", "not with the assistant itself."}, {".pt-BR.md", "**Testado**: ", "não com o próprio assistente."}} {
		common := page(t, docs, "guide", "assistants"+language.end)
		for _, c := range clients.All() {
			name := c.ID + language.end
			text := page(t, docs, "guide", "assistants", name)
			if !strings.Contains(common, "](assistants/"+name+")") || !strings.Contains(text, "](../assistants"+language.end+")") {
				t.Errorf("%s and the common page do not link to each other", name)
			}
			for _, has := range []string{"# " + c.Name + "\n", "`keepsake agents connect " + c.ID + "`", "`keepsake agents disconnect " + c.ID + "`"} {
				if !strings.Contains(text, has) {
					t.Errorf("%s has no %q", name, has)
				}
			}
			_, said, _ := strings.Cut(text, language.tried)
			version, _, isTried := strings.Cut(tried[c.ID], ": ")
			if want := "not with the client itself"; !isTried && (tried[c.ID] != want || !strings.HasPrefix(said, language.not)) || isTried && !strings.Contains(said, version) {
				t.Errorf("%s says of trying it %q, docs/agents.md %q", name, said, tried[c.ID])
			}
		}
	}
}

func page(t *testing.T, path ...string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(path...))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
