// Package bridge is what the page may ask for: six small structs, bound by the
// window (app/desktop) and served over loopback HTTP (app/web). It knows
// neither; it sees the shell around it only as a [Host].
//
// What crosses the bridge is plain: times are RFC 3339 strings in UTC ("" is
// unknown), ids are strings, slices are never null, numbers are finite, and no
// answer exceeds a megabyte or 200 rows. Paths never come from the page: what
// a dialog, a drop or the command line hands over gets a token here, and the
// page passes the token back.
//
// Every method returns an error last and never panics. The text of that error
// is one JSON document, [FaultView], because that is the only form which
// survives every shell unchanged.
package bridge
