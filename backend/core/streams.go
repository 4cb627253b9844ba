package core

import (
	"context"
	"iter"

	"keepsake/backend/format/pam"
	"keepsake/backend/memory"
	"keepsake/backend/vault"
)

// bundle streams what goes beside the store.
func (l *leaving) bundle(ctx context.Context, v *session, tx *vault.Tx) pam.Bundle {
	var b pam.Bundle
	if l.options.IncludeEmbeddings {
		b.Embeddings = l.embeddings(ctx, tx)
	}
	if l.withConversations() {
		b.Conversations = l.eachConversation(ctx, tx)
	}
	if l.options.IncludeAttachments {
		b.Attachments = l.attachments(ctx, v, tx)
	}
	return b
}

func (l *leaving) eachConversation(ctx context.Context, tx *vault.Tx) iter.Seq2[*memory.Conversation, error] {
	return func(yield func(*memory.Conversation, error) bool) {
		for _, t := range l.talks {
			if t.alone {
				continue
			}
			c, err := tx.Conversation(t.id)
			if err == nil {
				err = ctx.Err()
			}
			if err == nil {
				l.prepare(c)
			}
			if !yield(c, err) || err != nil {
				return
			}
		}
	}
}

// embeddings streams those of the memories that leave, in their order.
func (l *leaving) embeddings(ctx context.Context, tx *vault.Tx) iter.Seq2[pam.Embedding, error] {
	return func(yield func(pam.Embedding, error) bool) {
		for _, row := range l.rows {
			id := l.embedded[row.id]
			if id == "" {
				continue
			}
			x, err := readEmbedding(tx, row.id)
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

func (l *leaving) withConversations() bool {
	return l.options.IncludeConversations || l.options.IncludeAttachments
}

// attachments streams each file once, in the order in which it is named.
func (l *leaving) attachments(ctx context.Context, v *session, tx *vault.Tx) iter.Seq2[pam.Attachment, error] {
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
				named(&m, func(ref string) {
					if more && !seen[ref] {
						seen[ref] = true
						more = yield(v.attachment(ref), nil)
					}
				})
				if !more {
					return
				}
			}
		}
	}
}

// prepare makes the references of a conversation lead to places in the bundle,
// and takes the provider's own ids out where that is asked for.
func (l *leaving) prepare(c *memory.Conversation) {
	movePlaces(c, l.place)
	if l.options.redacts() {
		l.hides(c.ID, l.hiding.conversation(c.ID, c))
	}
	id := l.conversations[c.ID]
	if l.options.StripIDs {
		stripConversation(c) // also of the id that it has here, which a document may have given
	}
	c.ID = id
}

// movePlaces lets each reference of a conversation lead where place says.
func movePlaces(c *memory.Conversation, place func(ref string) string) {
	for i := range c.Messages {
		m := &c.Messages[i]
		for k := range m.Attachments {
			m.Attachments[k].Ref = place(m.Attachments[k].Ref)
		}
		if m.Content == nil {
			continue
		}
		for k := range m.Content.Parts {
			m.Content.Parts[k].Ref = place(m.Content.Parts[k].Ref)
		}
	}
}

func (l *leaving) place(ref string) string {
	if ref == "" || !l.options.IncludeAttachments {
		return ""
	}
	return pam.AttachmentRef(ref)
}
