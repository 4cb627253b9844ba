package importer_test

import (
	"reflect"
	"testing"

	"keepsake/backend/importer"
)

// TestUnwrap: complete envelopes are cut off, and what is left is the person's.
func TestUnwrap(t *testing.T) {
	for block, want := range map[string]importer.Spoken{
		"Plain words.":                                                               {Text: "Plain words."},
		"<ide_opened_file>x</ide_opened_file>":                                       {Program: []string{"<ide_opened_file>x</ide_opened_file>"}},
		"<ide_opened_file>x</ide_opened_file>\nRound up.":                            {Text: "Round up.", Program: []string{"<ide_opened_file>x</ide_opened_file>"}},
		"Round up.\n<system-reminder>x</system-reminder>":                            {Text: "Round up.", Program: []string{"<system-reminder>x</system-reminder>"}},
		"<system-reminder>a</system-reminder><skill>b</skill> Go on.":                {Text: "Go on.", Program: []string{"<system-reminder>a</system-reminder>", "<skill>b</skill>"}},
		"What does <system-reminder>x</system-reminder> mean?":                       {Text: "What does <system-reminder>x</system-reminder> mean?"},
		"<system-reminder>never closed":                                              {Text: "<system-reminder>never closed"},
		"<codex_internal_context source=\"goal\">x</codex_internal_context>":         {Program: []string{"<codex_internal_context source=\"goal\">x</codex_internal_context>"}},
		"<permissions instructions>x</permissions>":                                  {Program: []string{"<permissions instructions>x</permissions>"}},
		"# AGENTS.md instructions for /x\n\n<INSTRUCTIONS>\nb\n</INSTRUCTIONS>\nHi":  {Text: "Hi", Program: []string{"# AGENTS.md instructions for /x\n\n<INSTRUCTIONS>\nb\n</INSTRUCTIONS>"}},
		"# Context from my IDE setup:\n\n## My request for Codex:\nRed.":             {Text: "Red.", Program: []string{"# Context from my IDE setup:\n\n## My request for Codex:"}},
		"# Context from my IDE setup: I wrote this":                                  {Text: "# Context from my IDE setup: I wrote this"},
		"[Request interrupted by user]":                                              {Program: []string{"[Request interrupted by user]"}},
		"<command-name>/review</command-name><command-args>the fence</command-args>": {Text: "/review the fence", Program: []string{"<command-name>/review</command-name>"}},
		"<command-message>clear</command-message>\n<command-name>/clear</command-name>\n<command-args></command-args>": {Command: "clear",
			Program: []string{"<command-message>clear</command-message>", "<command-name>/clear</command-name>"}},
		"<bash-input>ls</bash-input>":    {Shell: "ls"},
		"<poem>Roses</poem>":             {Text: "<poem>Roses</poem>", Unknown: "poem"},
		"<poem>Roses</poem> is my poem.": {Text: "<poem>Roses</poem> is my poem."},
	} {
		if got := importer.Unwrap(block); !reflect.DeepEqual(got, want) {
			t.Errorf("%q:\n%+v, not\n%+v", block, got, want)
		}
	}
}
