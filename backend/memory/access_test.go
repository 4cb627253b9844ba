package memory_test

import (
	"reflect"
	"testing"

	"keepsake/backend/memory"
)

// TestAccessNeverWidens: what two access blocks have in common is wider than neither,
// and what lets anybody do more is told.
func TestAccessNeverWidens(t *testing.T) {
	grants := [][]memory.Grant{
		nil, {},
		{{Entity: "ana", Permissions: []string{"read"}}},
		{{Entity: "ana", Permissions: []string{"read", "write"}}},
		{{Entity: "ana", Permissions: []string{"read"}}, {Entity: "ana", Permissions: []string{"write"}}},
		{{Entity: "bea", Permissions: []string{"read"}}},
		{{Entity: "bea"}},
	}
	all := []*memory.Access{nil}
	for _, v := range []memory.Visibility{memory.Private, memory.Shared, memory.Public, "everybody"} {
		for _, exportable := range []bool{true, false} {
			for _, g := range grants {
				all = append(all, &memory.Access{Visibility: v, Exportable: exportable, SharedWith: g})
			}
		}
	}
	tried := 0
	for _, a := range all {
		for _, b := range all {
			tried++
			least := memory.Narrowest(a, b)
			if least.Wider(a) || least.Wider(b) {
				t.Errorf("%+v and %+v: %+v", a, b, least)
			}
			if !b.Wider(a) && !reflect.DeepEqual(least, b) {
				t.Errorf("%+v is narrower than %+v, and became %+v", b, a, least)
			}
		}
		if a.Wider(a) {
			t.Errorf("%+v is wider than itself", a)
		}
	}
	t.Logf("%d pairs", tried)
}

// TestWiderAccess pins what counts as wider.
func TestWiderAccess(t *testing.T) {
	closed := &memory.Access{Visibility: memory.Private, SharedWith: []memory.Grant{{Entity: "ana", Permissions: []string{"read"}}}}
	for name, wider := range map[string]*memory.Access{
		"none at all":        nil,
		"exportable":         {Visibility: memory.Private, Exportable: true},
		"shared":             {Visibility: memory.Shared},
		"public":             {Visibility: memory.Public},
		"another entity":     {Visibility: memory.Private, SharedWith: []memory.Grant{{Entity: "bea", Permissions: []string{"read"}}}},
		"another permission": {Visibility: memory.Private, SharedWith: []memory.Grant{{Entity: "ana", Permissions: []string{"read", "delete"}}}},
	} {
		if !wider.Wider(closed) {
			t.Errorf("%s is not taken for wider", name)
		}
	}
	for name, narrower := range map[string]*memory.Access{
		"nobody": {Visibility: memory.Private}, "the same": closed,
	} {
		if narrower.Wider(closed) {
			t.Errorf("%s is taken for wider", name)
		}
	}
}
