package exports

import (
	"context"
	"iter"

	"keepsake/backend/core/browse"
	"keepsake/backend/core/library"
	"keepsake/backend/format/pam"
	"keepsake/backend/memory"
	"keepsake/backend/vault"
)

// bundle returns streams of the parts of a bundle that are not in the memory store:
// embeddings, conversations and attachments.
func (l *selection) bundle(ctx context.Context, v *library.Session, tx *vault.Tx) pam.Bundle {
	var b pam.Bundle
	if l.options.IncludeEmbeddings || l.options.OwnEmbeddings {
		b.Embeddings = l.embeddings(ctx, tx)
	}
	if l.withConversations() {
		b.Conversations = l.eachTalk(ctx, tx)
	}
	if l.options.IncludeAttachments {
		b.Attachments = l.attachments(ctx, v, tx)
	}
	return b
}

// longTalk is the number of messages above which a conversation is streamed, not held in
// memory. Streaming may decrypt its messages twice, but few conversations are that long.
const longTalk = 2000

// eachTalk streams the selected conversations. It does not hold a long one whole: its
// messages are a stream, too.
func (l *selection) eachTalk(ctx context.Context, tx *vault.Tx) iter.Seq2[pam.Talk, error] {
	return func(yield func(pam.Talk, error) bool) {
		for _, t := range l.talks {
			if t.alone {
				continue
			}
			c, long, err := l.conversation(ctx, tx, t.id, longTalk)
			if !yield(pam.Talk{Conversation: c, Long: long}, err) || err != nil {
				return
			}
		}
	}
}

// eachConversation streams the selected conversations for formats that people read. It
// holds each one whole, except for large fields that these formats never show (see
// memory.Collection).
func (l *selection) eachConversation(ctx context.Context, tx *vault.Tx) iter.Seq2[*memory.Conversation, error] {
	return func(yield func(*memory.Conversation, error) bool) {
		for _, t := range l.talks {
			if t.alone {
				continue
			}
			c, all, err := l.conversation(ctx, tx, t.id, 0)
			if err == nil && all != nil {
				c.Messages, err = browse.Collect(bare(all), 0)
			}
			if !yield(c, err) || err != nil {
				return
			}
		}
	}
}

// conversation returns a conversation in its exported form. If it has more messages than
// most, c.Messages is empty and long streams them; long can be iterated more than once.
func (l *selection) conversation(ctx context.Context, tx *vault.Tx, id string, most int) (c *memory.Conversation, long browse.Messages, err error) {
	h, err := tx.ConversationHead(id)
	if err != nil {
		return nil, nil, err
	}
	c, long = &h.Conversation, browse.UntilDone(ctx, tx.Messages(id))
	isShort := h.MessageCount <= most
	if isShort && l.options.StripIDs { // StripIDs reads the messages twice: keep them, to decrypt them once
		if c.Messages, err = browse.Collect(long, h.MessageCount); err != nil {
			return nil, nil, err
		}
		long = c.Each()
	}
	if long, err = l.prepared(c, long); err != nil || !isShort {
		return c, long, err
	}
	c.Messages, err = browse.Collect(long, h.MessageCount)
	return c, nil, err
}

// bare streams messages without the fields that formats for people never show.
func bare(all browse.Messages) browse.Messages {
	return func(yield func(memory.Message, error) bool) {
		for m, err := range all {
			m.RawMetadata, m.ProviderMessageID, m.ChildrenIDs = nil, "", nil
			if !yield(m, err) {
				return
			}
		}
	}
}

// embeddings streams the embeddings of the exported memories, in the memories' order.
func (l *selection) embeddings(ctx context.Context, tx *vault.Tx) iter.Seq2[pam.Embedding, error] {
	return func(yield func(pam.Embedding, error) bool) {
		for _, row := range l.rows {
			id := l.embedded[row.ID]
			if id == "" {
				continue
			}
			x, err := l.embedding(tx, row)
			if err == nil {
				err = ctx.Err()
			}
			x.ID = id
			if l.options.StripIDs {
				x.Storage = nil
			}
			if !yield(x, err) || err != nil {
				return
			}
		}
	}
}

func (l *selection) withConversations() bool {
	return l.options.IncludeConversations || l.options.IncludeAttachments
}

// attachments streams each attached file once, in the order in which messages name it.
func (l *selection) attachments(ctx context.Context, v *library.Session, tx *vault.Tx) iter.Seq2[pam.Attachment, error] {
	return func(yield func(pam.Attachment, error) bool) {
		seen := map[string]bool{}
		for _, t := range l.talks {
			for m, err := range tx.Messages(t.id) {
				if err == nil {
					err = ctx.Err()
				}
				if err != nil {
					yield(pam.Attachment{}, err)
					return
				}
				more := true
				library.NamedFiles(&m, func(ref string) {
					if more && !seen[ref] {
						seen[ref] = true
						more = yield(attachmentIn(v, ref), nil)
					}
				})
				if !more {
					return
				}
			}
		}
	}
}

// prepared changes a conversation into its exported form: c (all except messages) at
// once, and each message when it is yielded. Attachment references point into the bundle.
// If the options say so, it redacts findings (sensitive places) and removes provider ids.
func (l *selection) prepared(c *memory.Conversation, all browse.Messages) (browse.Messages, error) {
	id, inHead := c.ID, 0
	if l.options.redacts() {
		inHead = l.hiding.head(c)
	}
	strip := func(*memory.Message) {}
	if l.options.StripIDs {
		ids, err := newIDStripper(c, all) // also strips c.ID, which an imported document may have set
		if err != nil {
			return nil, err
		}
		ids.head(c)
		strip = ids.message
	}
	c.ID = l.conversations[id]
	return func(yield func(memory.Message, error) bool) {
		var hidden []hiddenPlace
		see, i := l.hiding.in(id, &hidden), 0
		for m, err := range all {
			MoveAttachments(&m, l.place)
			if l.options.redacts() {
				m.RawMetadata = nil // its content is unknown, so it cannot be redacted
				library.EachTextOfMessage(&m, library.MessageField(i), see)
			}
			if strip(&m); !yield(m, err) {
				return
			}
			i++
		}
		l.hides(id, inHead+len(hidden))
	}, nil
}

// MoveAttachments replaces each attachment reference in a message by place(reference).
func MoveAttachments(m *memory.Message, place func(ref string) string) {
	for k := range m.Attachments {
		m.Attachments[k].Ref = place(m.Attachments[k].Ref)
	}
	if m.Content == nil {
		return
	}
	for k := range m.Content.Parts {
		m.Content.Parts[k].Ref = place(m.Content.Parts[k].Ref)
	}
}

func (l *selection) place(ref string) string {
	if ref == "" || !l.options.IncludeAttachments {
		return ""
	}
	return pam.AttachmentRef(ref)
}
