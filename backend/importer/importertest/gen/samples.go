package gen

// Sample is a small export and the id of the reader it belongs to.
type Sample struct {
	Reader, Name string
	Files        []File
}

// Samples are exports of every kind that is generated here.
func Samples() []Sample {
	var all []Sample
	for _, era := range Eras() {
		data, _ := ChatGPT(ChatGPTOptions{Seed: 1, Era: era, Conversations: 2})
		name := "export.zip"
		if era == Loose {
			name = "export.json"
		}
		all = append(all, Sample{"chatgpt", string(era), []File{{Name: name, Data: data}}})
	}
	for _, layout := range []Layout{OneZip, Batches, Parts} {
		files, _ := ClaudeZips(layout, ClaudeOptions{Seed: 1, Conversations: 2})
		all = append(all, Sample{"claude", string(layout), files})
	}
	for _, shape := range PasteShapes() {
		if shape == PasteSettings || shape == PasteProse {
			continue // could be anything; whoever pastes says what it is
		}
		text, _, _ := Pasted(shape)
		all = append(all, Sample{"pasted", string(shape), []File{{Name: "answer.txt", Data: []byte(text)}}})
	}
	for _, l := range Layers() {
		all = append(all, Sample{l.Reader, l.Name, l.Files})
	}
	return all
}
