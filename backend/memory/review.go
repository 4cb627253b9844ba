package memory

import "maps"

// Members of the open block (§10) with what the person said of a memory in the portrait.
const (
	ReviewKey  = "keepsake_review"  // when they said that it is true, and the hash of its content then
	ChapterKey = "keepsake_chapter" // where they moved it to
	AskedKey   = "keepsake_asked"   // by platform: when they asked it to forget the memory, and the hash of its content then
)

// Reviewed returns when the person said that the memory is true; zero if they did not, or if its
// content has changed since.
func (r Record) Reviewed() Time {
	return r.whenOf(r.Metadata[ReviewKey])
}

// whenOf reads a note about the memory; zero where it is about other content.
func (r Record) whenOf(note any) Time {
	said, _ := note.(map[string]any)
	if hash, _ := said["content_hash"].(string); hash == "" || hash != r.ContentHash {
		return Time{}
	}
	text, _ := said["at"].(string)
	at, err := ParseTime(text)
	if err != nil {
		return Time{}
	}
	return at
}

func (r Record) note(at Time) map[string]any {
	return map[string]any{"at": at.String(), "content_hash": r.ContentHash}
}

// SetReviewed notes when the person said that the memory is true as it is.
func (r *Record) SetReviewed(at Time) { r.SetMember(ReviewKey, r.note(at)) }

// Asked returns when the person asked a platform to forget the memory; zero if they did not, or if
// its content has changed since.
func (r Record) Asked(platform string) Time {
	asked, _ := r.Metadata[AskedKey].(map[string]any)
	return r.whenOf(asked[platform])
}

// HasAsked reports whether the person asked any platform to forget the memory.
func (r Record) HasAsked() bool {
	asked, _ := r.Metadata[AskedKey].(map[string]any)
	return len(asked) > 0
}

// SetAsked notes when the person asked a platform to forget the memory.
func (r *Record) SetAsked(platform string, at Time) {
	asked, _ := r.Metadata[AskedKey].(map[string]any)
	if asked = maps.Clone(asked); asked == nil {
		asked = map[string]any{}
	}
	asked[platform] = r.note(at)
	r.SetMember(AskedKey, asked)
}

// KeepReview takes over what another version of the memory says of review, chapter and being asked
// to forget it.
func (r *Record) KeepReview(of Record) {
	for _, name := range []string{ReviewKey, ChapterKey, AskedKey} {
		if value, ok := of.Metadata[name]; ok {
			r.SetMember(name, value)
		}
	}
}

// SetMember sets a member of the open block, or removes it where value is nil or an empty text. It
// leaves the block that it was given as it is.
func (r *Record) SetMember(name string, value any) {
	block := maps.Clone(r.Metadata)
	delete(block, name)
	if value != nil && value != "" {
		if block == nil {
			block = map[string]any{}
		}
		block[name] = value
	}
	if len(block) == 0 {
		block = nil
	}
	r.Metadata = block
}
