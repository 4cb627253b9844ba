// Package keptblock keeps a text up to date between two marker lines of a file that belongs to
// somebody else. What stands outside of the markers is never changed: a file whose markers are
// not one pair, or that is no plain file of this account, is refused.
package keptblock
