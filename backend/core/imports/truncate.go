package imports

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"keepsake/backend/core/library"
	"keepsake/backend/fault"
	"keepsake/backend/importer"
	"keepsake/backend/memory"
)

// What one record of the vault takes, in bytes. JSON may write a byte of a text
// as six; what is kept verbatim is JSON already.
const (
	maxHead    = 2 << 20  // of what a conversation holds beside its messages
	maxMessage = 12 << 20 // of a message
	maxTitle   = 64 << 10
)

// lighten leaves out of a conversation what does not fit into its records, the
// largest first, so that one lot that nobody understands costs no message. Each is
// counted and told by its name.
func (k *sink) lighten(d *importer.ConversationDraft) {
	c := &d.Conversation
	size := headSize(c)
	left := append(shorten(c), shed(&c.RawMetadata, headSize(c)-maxHead)...)
	k.leftOut(d, left, size, maxHead)
	for i := range c.Messages {
		m := &c.Messages[i]
		if size := messageWeight(m); size > maxMessage && size-raw(m.RawMetadata) < maxMessage {
			k.leftOut(d, shed(&m.RawMetadata, size-maxMessage), size, maxMessage)
		}
	}
}

func headSize(c *memory.Conversation) int {
	return len(c.Title) + len(c.SystemInstruction) + raw(c.RawMetadata)
}

// shed takes the largest members out until so many bytes are gone, and names them.
func shed(raw *memory.RawMetadata, over int) (left []string) {
	if over <= 0 {
		return nil
	}
	kept := maps.Clone(*raw)
	names := slices.SortedFunc(maps.Keys(kept), func(a, b string) int {
		return cmp.Or(cmp.Compare(len(b)+len(kept[b]), len(a)+len(kept[a])), strings.Compare(a, b))
	})
	for _, name := range names {
		if over <= 0 {
			break
		}
		over -= len(name) + len(kept[name])
		delete(kept, name)
		left = append(left, name)
	}
	*raw = kept
	return left
}

// shorten makes the head of a conversation fit that is too large for what is
// understood of it.
func shorten(c *memory.Conversation) (left []string) {
	understood := func() int { return len(c.Title) + len(c.SystemInstruction) }
	if understood() > maxHead && len(c.Title) > maxTitle {
		c.Title = library.Cut(c.Title, maxTitle)
		left = append(left, "title")
	}
	if understood() > maxHead {
		c.SystemInstruction = ""
		left = append(left, "system_instruction")
	}
	return left
}

// leftOut counts and tells members that did not fit. Their names are the file's.
func (k *sink) leftOut(d *importer.ConversationDraft, names []string, size, limit int) {
	if len(names) == 0 {
		return
	}
	said := make([]string, len(names))
	for i, name := range names {
		kind := importer.Kind("too-large:" + name)
		k.Unknown(kind)
		_, said[i], _ = strings.Cut(kind, ":")
	}
	k.books.problem(importer.Problem{Path: d.File, At: d.Provider.ConversationID, Fault: fault.New(fault.TooLarge, "conversation-lightened",
		"What stands in one place of this conversation takes {size} bytes, and {limit} fit. Left out, the largest first: {members}. Its messages and everything else were kept. To have all of it, import the file again and keep the file itself (--keep-original).").
		With("size", size).With("limit", limit).With("members", few(said))})
}

// few names some of many.
func few(names []string) string {
	const most = 10
	if len(names) > most {
		return strings.Join(names[:most], ", ") + ", …"
	}
	return strings.Join(names, ", ")
}
