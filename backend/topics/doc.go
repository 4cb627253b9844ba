// Package topics finds what a collection of short texts is about: groups of texts whose
// vectors are near each other, and words that name each group.
package topics
