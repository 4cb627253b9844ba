package pam

import (
	"strconv"
	"strings"
)

// pointer is the JSON pointer (RFC 6901) of an element.
func pointer(array string, i int) string { return "/" + array + "/" + strconv.Itoa(i) }

func escape(name string) string {
	return strings.NewReplacer("~", "~0", "/", "~1").Replace(name)
}

func unescape(name string) string {
	return strings.NewReplacer("~1", "/", "~0", "~").Replace(name)
}

// places holds at which element of an array each id was seen last.
type places map[string]int
