package gen

import (
	"bytes"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// spreadOver is so much white space that a stream gives what it stands in in pieces, in
// bytes.
const spreadOver = 17 << 20

// Spread is an export whose files say the same, with much white space in the first
// member of that name in each: between the members or items of it, where nobody keeps
// any. It goes into zips.
func Spread(name string, data []byte, member string) []byte {
	if strings.HasSuffix(name, ".zip") {
		return spreadZip(data, member)
	}
	begin := bytes.Index(data, []byte(`"`+member+`":`)) + len(member) + 3
	if begin < len(member)+3 {
		return data
	}
	list, err := lenient(data[begin:]).ReadValue()
	must(err)
	if list.Kind() != '{' && list.Kind() != '[' {
		return data
	}
	spread := spreadList(list)
	return append(append(bytes.Clone(data[:begin]), spread...), data[begin+len(list):]...)
}

func spreadZip(data []byte, member string) []byte {
	files := Unzip(data)
	for i, f := range files {
		files[i] = File{Name: f.Name, Data: Spread(f.Name, f.Data, member), Store: true} // or it would be a bomb
	}
	return Zip(files)
}

// spreadList puts the same white space behind each comma of a list.
func spreadList(list jsontext.Value) []byte {
	var parts [][]byte
	d := lenient(list)
	open, err := d.ReadToken()
	must(err)
	for d.PeekKind() != open.Kind()+2 {
		var part []byte
		if open.Kind() == '{' {
			name, err := d.ReadValue()
			must(err)
			part = append(part, append(name, ':')...)
		}
		value, err := d.ReadValue()
		must(err)
		parts = append(parts, append(part, value...))
	}
	between := append([]byte{','}, bytes.Repeat([]byte{' '}, spreadOver/max(1, len(parts)-1))...)
	inner := bytes.Join(parts, between)
	return append(append([]byte{list[0]}, inner...), list[len(list)-1])
}

func lenient(text []byte) *jsontext.Decoder {
	return jsontext.NewDecoder(bytes.NewReader(text), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
}
