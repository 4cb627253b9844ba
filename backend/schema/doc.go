// Package schema compiles the JSON Schemas of schemas/ and checks values
// against them. Nothing is ever loaded from outside the binary, and "format"
// stays an annotation, as Draft 2020-12 has it: the verdict is the published
// schemas' own. Formats are asserted by the deep checks of each format.
package schema
