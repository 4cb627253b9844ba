package pam

import (
	"net/netip"
	"regexp"
	"strings"
)

// What RFC 3986 lets stand in a URI, part by part (Appendix A), as text for
// regular expressions. pct is a byte that is written by its number.
const (
	pct      = `%[0-9A-Fa-f]{2}`
	regChar  = `(?:[A-Za-z0-9._~!$&'()*+,;=-]|` + pct + `)` // unreserved, sub-delims
	userChar = `(?:[A-Za-z0-9._~!$&'()*+,;=:-]|` + pct + `)`
	segChar  = `(?:[A-Za-z0-9._~!$&'()*+,;=:@-]|` + pct + `)` // of a part of a path
	pathChar = `(?:/|` + segChar + `)`
	restChar = `(?:[A-Za-z0-9._~!$&'()*+,;=:@/?-]|` + pct + `)` // of a query and a fragment
)

// uriForm is a whole URI: what is in brackets is the address of a host, and a path
// behind a host begins with a stroke, as one without a host may not begin with two.
var uriForm = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9+.-]*:` +
	`(?://(?:` + userChar + `*@)?(?:\[([^\[\]]*)\]|` + regChar + `*)(?::[0-9]*)?(?:/` + pathChar + `*)?|/?(?:` + segChar + pathChar + `*)?)` +
	`(?:\?` + restChar + `*)?(?:#` + restChar + `*)?$`)

// futureForm is an address of a kind that RFC 3986 leaves to the future.
var futureForm = regexp.MustCompile(`^[vV][0-9A-Fa-f]+\.[A-Za-z0-9._~!$&'()*+,;=:-]+$`)

// isURI reports an absolute URI; "" is absent and fine.
func isURI(text stated) bool {
	if text == "" {
		return true
	}
	parts := uriForm.FindStringSubmatch(string(text))
	return parts != nil && (!strings.Contains(parts[0], "[") || isAddress(parts[1]))
}

// isAddress reports what may stand in the brackets: no zone of one computer.
func isAddress(text string) bool {
	ip, err := netip.ParseAddr(text)
	return futureForm.MatchString(text) || err == nil && ip.Is6() && ip.Zone() == ""
}

// didForm is a DID (DID Core §3.1), without the path, the query and the fragment of
// a DID URL.
var didForm = regexp.MustCompile(`^did:[a-z0-9]+:(?:(?:[A-Za-z0-9._-]|` + pct + `)*:)*(?:[A-Za-z0-9._-]|` + pct + `)+$`)
