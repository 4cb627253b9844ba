package bridge

import (
	"context"
	"net/url"
	"strings"

	"golang.org/x/net/idna"

	"keepsake/backend/fault"
)

// Conversations is the reader.
type Conversations struct {
	k    *kit
	last latest
}

// List returns a window of at most 200 rows.
func (c *Conversations) List(query ConversationQueryView) (ConversationPageView, error) {
	return call(c.k, func(ctx context.Context) (ConversationPageView, error) {
		q, err := conversationQuery(query)
		if err != nil {
			return ConversationPageView{}, err
		}
		page, err := c.k.core.Conversations(ctx, q)
		return ConversationPageView{Items: list(page.Items, headView), Total: page.Total}, err
	})
}

// Thread returns messages of the way through a conversation that passes leaf;
// "" takes the active one.
func (c *Conversations) Thread(id, leaf string, offset, limit int) (ThreadView, error) {
	return call(c.k, func(ctx context.Context) (ThreadView, error) {
		thread, err := c.k.core.Thread(ctx, id, leaf, max(offset, 0), rows(limit))
		return threadView(thread, max(offset, 0)), err
	})
}

// Further returns more of a part of a message that was clipped, from the byte Next of
// what came before it. After the parts come input and output of each call of a tool.
func (c *Conversations) Further(id, message string, part, from int) (TextView, error) {
	return call(c.k, func(ctx context.Context) (TextView, error) {
		text, err := c.k.core.MessagePart(ctx, id, message, part)
		return furtherView(text, from), err
	})
}

// Find says where a text stands on the way through a conversation that passes leaf.
// What the same asker looked for before ends with "cancelled".
func (c *Conversations) Find(asker, id, leaf, text string) (StandsView, error) {
	return call(c.k, func(ctx context.Context) (StandsView, error) {
		ctx, end := c.last.begin(ctx, asker)
		defer end()
		found, err := c.k.core.FindInThread(ctx, id, leaf, text)
		return StandsView(found), err
	})
}

// CheckLink says where an address in an export leads, before it is opened.
func (c *Conversations) CheckLink(address string) (LinkView, error) {
	return call(c.k, func(context.Context) (LinkView, error) { return checkLink(address) })
}

// OpenLink opens an address that CheckLink allowed, outside Keepsake.
func (c *Conversations) OpenLink(address string) error {
	return do(c.k, func(context.Context) error {
		link, err := checkLink(address)
		if err != nil {
			return err
		}
		return c.k.host.OpenLink(link.URL)
	})
}

// checkLink lets only web and mail addresses pass, and writes the host in
// ASCII, where letters that only look alike show.
func checkLink(address string) (LinkView, error) {
	refused := fault.New(fault.Refused, "link-refused", "Only web and mail addresses are opened.")
	if len(address) > maxLink || strings.ContainsFunc(address, func(r rune) bool { return r <= ' ' || r == 0x7f }) {
		return LinkView{}, refused
	}
	u, err := url.Parse(address)
	if err != nil {
		return LinkView{}, refused.Because(err)
	}
	scheme := strings.ToLower(u.Scheme)
	if scheme == "mailto" && u.Host == "" {
		return LinkView{URL: u.String(), Scheme: scheme, Host: u.Opaque}, nil
	}
	if (scheme != "https" && scheme != "http") || u.Host == "" || u.User != nil {
		return LinkView{}, refused
	}
	host, err := idna.Lookup.ToASCII(u.Hostname())
	if err != nil {
		return LinkView{}, refused.Because(err)
	}
	if port := u.Port(); port != "" {
		host += ":" + port
	}
	u.Host = host
	return LinkView{URL: u.String(), Scheme: scheme, Host: host}, nil
}
