package mif

import (
	"encoding/json"

	"github.com/goccy/go-yaml"
)

// LeastYAML is what a member with this text has as YAML at least, and what it has.
func LeastYAML(text string) (least, is int) {
	raw, _ := json.Marshal(text)
	member := object{"content": raw}.text()
	out, err := yaml.JSONToYAML(member)
	if err != nil {
		panic(err)
	}
	return leastYAML(member), len(out)
}
