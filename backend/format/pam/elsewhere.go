package pam

import (
	"encoding/json"
	"maps"
	"strconv"
	"strings"

	"keepsake/backend/memory"
)

// elsewhere is the member of a message's raw_metadata that keeps where its files lie
// that are not in the bundle, by their places in the message: a URI, or a provider's
// own name. The schema takes any text (§25.3), and a vault has room for its own only.
const elsewhere = "keepsake_refs"

// LiesElsewhere reports a reference that names no file of a bundle.
func LiesElsewhere(ref string) bool { return ref != "" && !strings.HasPrefix(ref, attachmentFolder) }

// KeepElsewhere keeps where the k-th attachment, or part of the content, lies.
func KeepElsewhere(m *memory.Message, isPart bool, k int, ref string) error {
	refs := elsewhereOf(m)
	refs[placeOfRef(isPart, k)] = ref
	text, err := json.Marshal(refs)
	if err != nil {
		return err
	}
	m.RawMetadata = maps.Clone(m.RawMetadata)
	if m.RawMetadata == nil {
		m.RawMetadata = memory.RawMetadata{}
	}
	m.RawMetadata[elsewhere] = text
	return nil
}

func placeOfRef(isPart bool, k int) string {
	if isPart {
		return "content/parts/" + strconv.Itoa(k)
	}
	return "attachments/" + strconv.Itoa(k)
}

func elsewhereOf(m *memory.Message) map[string]string {
	refs := map[string]string{}
	_ = json.Unmarshal(m.RawMetadata[elsewhere], &refs) // what has another shape is not ours
	return refs
}

// led is the message with its references as they came, where they led elsewhere.
func led(m memory.Message) memory.Message {
	refs := elsewhereOf(&m)
	if len(refs) == 0 {
		return m
	}
	m.RawMetadata = maps.Clone(m.RawMetadata)
	if delete(m.RawMetadata, elsewhere); len(m.RawMetadata) == 0 {
		m.RawMetadata = nil
	}
	m.Attachments = append([]memory.Attachment{}, m.Attachments...)
	for k := range m.Attachments {
		lead(&m.Attachments[k].Ref, refs[placeOfRef(false, k)])
	}
	if m.Content != nil {
		content := *m.Content
		content.Parts = append([]memory.Part{}, content.Parts...)
		for k := range content.Parts {
			lead(&content.Parts[k].Ref, refs[placeOfRef(true, k)])
		}
		m.Content = &content
	}
	return m
}

func lead(ref *string, to string) {
	if *ref == "" {
		*ref = to
	}
}
