package gen

// Sample is a small export and the id of the reader it belongs to.
type Sample struct {
	Reader, Name string
	Files        []File
}

// Samples are exports of every kind that is generated here.
func Samples() []Sample {
	var all []Sample
	for _, e := range Exports() {
		all = append(all, Sample{e.Provider, e.Layout, e.Files})
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
	for i, name := range []string{"own", "of another program"} {
		files, _ := PAM(PAMOptions{Seed: 1, Memories: 3, Conversations: 2, Turns: 2, Foreign: i == 1})
		all = append(all,
			Sample{"pam", "bundle " + name, []File{{Name: "memories.pam.zip", Data: Zip(files)}}},
			Sample{"pam", "store " + name, []File{{Name: "anything.json", Data: files[0].Data}}})
	}
	return all
}
