// Package proposals finds possible memories in what the person wrote in conversations,
// where they allow it, keeps them in the Inbox, and makes memories of those that are
// accepted.
package proposals
