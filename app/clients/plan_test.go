package clients

import (
	"errors"
	"testing"
)

// Promise: an edit after which a file would not read as before, but for the entry, is no
// plan: one that breaks the file, loses a server, or writes another entry than wanted.
func TestAWrongEditIsNoPlan(t *testing.T) {
	for id, text := range map[string]string{
		"cursor": `{"mcpServers": {"keepsake": {"command": "keepsake", "args": ["mcp"]}, "a": {"b": 1}}}`,
		"codex":  "[mcp_servers.keepsake]\ncommand = \"keepsake\"\nargs = [\"mcp\"]\n[mcp_servers.a]\nb = 1\n",
	} {
		c := client(t, id)
		end := len(text)
		for what, wrong := range map[string]edit{
			"breaks it":       {end - 3, end, "["},
			"loses the rest":  {0, end, c.Snippet(entry(c))},
			"changes nothing": {0, 0, " "},
		} {
			_, _, err := c.edited([]byte(text), func(_ []byte, was map[string]any) ([]edit, map[string]any, error) {
				if was == nil {
					t.Fatalf("%s: no entry was read", id)
				}
				return []edit{wrong}, entry(c).table(""), nil
			})
			if !errors.Is(err, errForm) {
				t.Errorf("%s: an edit that %s: %v", id, what, err)
			}
		}
	}
}
