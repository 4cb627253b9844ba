// Package jcs writes JSON in the one form of RFC 8785 (JSON Canonicalization
// Scheme). gowebpki/jcs is the referee; this room refuses what it would let
// through or round, so that two different documents never share one form.
package jcs
