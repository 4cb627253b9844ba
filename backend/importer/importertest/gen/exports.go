package gen

// Export is a generated export and whose it is.
type Export struct {
	Provider, Layout string
	Files            []File
}

// Exports are all layouts of all providers, small, so that every reader can be
// shown what is not its own.
func Exports() []Export {
	var all []Export
	for _, era := range Eras() {
		data, _ := ChatGPT(ChatGPTOptions{Seed: 1, Era: era})
		name := "export.zip"
		if era == Loose {
			name = "export.json"
		}
		all = append(all, Export{"chatgpt", string(era), []File{{Name: name, Data: data}}})
	}
	for _, layout := range []Layout{OneZip, Batches, Parts} {
		files, _ := ClaudeZips(layout, ClaudeOptions{Seed: 1})
		all = append(all, Export{"claude", string(layout), files})
	}
	one := func(provider, layout, name string, data []byte) {
		all = append(all, Export{provider, layout, []File{{Name: name, Data: data}}})
	}
	grok, _ := Grok(GrokOptions{Seed: 1})
	one("grok", "export", "grok.zip", grok)
	grok, _ = XArchive(1)
	one("grok", "x-archive", "twitter.zip", grok)
	deepSeek, _ := DeepSeek(1, 3, false)
	one("deepseek", "fragments", "deepseek.zip", deepSeek)
	deepSeek, _ = DeepSeek(2, 3, true)
	one("deepseek", "older", "deepseek.zip", deepSeek)
	leChat, _ := LeChat(1, 3)
	one("lechat", "export", "chats.zip", leChat)
	for _, format := range []string{"a", "b", "windows"} {
		table, _ := Copilot(1, 3, format)
		one("copilot", format, "activity.csv", table)
	}
	for layout, o := range takeouts() {
		files, _ := Takeout(o)
		all = append(all, Export{"gemini", layout, TakeoutZips(files, 1)})
	}
	workspace, _ := WorkspaceHistory(1)
	all = append(all, Export{"gemini", "workspace", TakeoutZips(workspace, 1)})
	studio, _ := AIStudio(1)
	all = append(all, Export{"gemini", "ai studio", TakeoutZips(studio, 1)})
	workbook, _ := Perplexity(1, 3)
	one("perplexity", "workbook", "perplexity.xlsx", workbook)
	list, _ := PerplexityExtension(2, 2)
	one("perplexity", "extension", "perplexity.json", list)
	thread, _ := PerplexityThread(3)
	one("perplexity", "thread", "thread.json", thread)
	return all
}

func takeouts() map[string]TakeoutOptions {
	return map[string]TakeoutOptions{"json": {}, "html": {Layout: "html"}, "header": {Layout: "header"}, "bare": {Bare: true, Mixed: true}, "gems": {Gems: true, Language: "el"}}
}
