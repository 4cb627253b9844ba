// Package proposals finds possible memories in the messages that the person wrote, if they
// allow it. It stores them in the Inbox as proposals, and turns accepted ones into
// memories.
package proposals
