package core_test

import (
	"reflect"
	"strings"
	"testing"

	"keepsake/backend/core"
	"keepsake/backend/fault"
	"keepsake/backend/memory"
)

// Promise (PAM §9.1): a grant is one entity once, with permissions in the
// specification's order; sharing and taking back keep the visibility true.
func TestGrant(t *testing.T) {
	k := fresh(t)
	id := k.add("I sleep badly").ID
	r := ok(k.Grant(ctx, id, " doctor ", []string{"write", "read", "read"}))
	if want := []memory.Grant{{Entity: "doctor", Permissions: []string{"read", "write"}}}; r.Access.Visibility != memory.Shared || !reflect.DeepEqual(r.Access.SharedWith, want) {
		t.Errorf("granted: %+v", r.Access)
	}
	ok(k.Grant(ctx, id, "sister", []string{"read"}))
	r = ok(k.Grant(ctx, id, "doctor", []string{"read"}))
	if len(r.Access.SharedWith) != 2 || !r.Access.Exportable {
		t.Errorf("granted anew: %+v", r.Access)
	}
	equal(t, map[string]int{"doctor": 1, "sister": 1}, k.members())
	ok(k.Grant(ctx, id, "doctor", nil))
	ok(k.Undo(ctx))
	if r = k.saying("I sleep badly"); len(r.Access.SharedWith) != 2 {
		t.Errorf("undone: %+v", r.Access)
	}
	ok(k.Grant(ctx, id, "doctor", nil))
	if r = ok(k.Grant(ctx, id, "sister", nil)); r.Access.Visibility != memory.Private || len(r.Access.SharedWith) != 0 {
		t.Errorf("taken back: %+v", r.Access)
	}
	_, err := k.Grant(ctx, id, "sister", nil)
	wantFault(t, err, fault.NotFound, "no-grant")
	ok(k.EditMemory(ctx, id, core.MemoryEdit{Visibility: to(memory.Public)}))
	if r = ok(k.Grant(ctx, id, "sister", []string{"delete"})); r.Access.Visibility != memory.Public {
		t.Errorf("a public memory became %s", r.Access.Visibility)
	}
}

// Promise: a memory whose metadata has a member with the name of the grants is shared with
// nobody, and the list of those who are is read all the same.
func TestMetadataSharesNothing(t *testing.T) {
	k := fresh(t)
	k.take("a.json", []byte(`{"schema":"portable-ai-memory","schema_version":"1.0","owner":{"id":"o"},"memories":[{"id":"m","type":"fact","content":"I play the cello","content_hash":"`+memory.ContentHash("I play the cello")+
		`","temporal":{"created_at":"2026-01-01T00:00:00Z"},"provenance":{"platform":"grok"},"metadata":{"shared_with":[{"entity":"doctor","permissions":["read"]}]}}]}`), core.ImportOptions{})
	ok(k.Grant(ctx, k.add("I sleep badly").ID, "sister", []string{"read"}))
	equal(t, map[string]int{"sister": 1}, k.members())
}

// members counts the members of each circle, by its entity.
func (k *kit) members() map[string]int {
	k.t.Helper()
	all := map[string]int{}
	for _, c := range ok(k.Circles(ctx)).Circles {
		all[c.Entity] = c.Members
	}
	return all
}

func TestGrantsThatMakeNoSense(t *testing.T) {
	k := fresh(t)
	id := k.add("I sleep badly").ID
	for reason, g := range map[string]memory.Grant{
		"grant-nobody":       {Entity: "  ", Permissions: []string{"read"}},
		"unknown-permission": {Entity: "x", Permissions: []string{"look"}},
		"grant-nothing":      {Entity: "x"},
	} {
		_, err := k.EditMemory(ctx, id, core.MemoryEdit{SharedWith: &[]memory.Grant{g}})
		wantFault(t, err, fault.Invalid, reason)
	}
	_, err := k.Grant(ctx, id, strings.Repeat("x", 300), []string{"read"})
	wantFault(t, err, fault.Invalid, "grant-nobody")
	many := make([]memory.Grant, 65)
	for i := range many {
		many[i] = memory.Grant{Entity: strings.Repeat("x", i+1), Permissions: []string{"read"}}
	}
	_, err = k.EditMemory(ctx, id, core.MemoryEdit{SharedWith: &many})
	wantFault(t, err, fault.TooLarge, "too-many-grants")
}

// Promise (PAM §19): types of one's own are described offline and accepted
// without; the export names the registry where one leaves.
func TestTypes(t *testing.T) {
	k := fresh(t)
	find := func(name string) (found core.TypeInfo) {
		for _, info := range ok(k.Types(ctx)) {
			if info.CustomType == name || string(info.Type) == name {
				found = info
			}
		}
		return found
	}
	all := ok(k.Types(ctx))
	if len(all) < 12 || all[0].Type != memory.Fact || all[0].Description == "" || all[0].Status != "standard" {
		t.Errorf("types: %+v", all)
	}
	_, text := k.export("none.json", core.ExportOptions{})
	if readStore(t, text).TypeRegistry != "" {
		t.Error("the registry is named without need")
	}
	ok(k.AddMemory(ctx, core.NewMemory{Type: memory.Custom, CustomType: "Ünlisted ‘type’", Content: "accepted"}))
	if got := find("Ünlisted ‘type’"); got.Memories != 1 || got.Status != "unregistered" || got.Own {
		t.Errorf("not described: %+v", got)
	}
	for name, description := range map[string]string{"badge": "Which doors open", "medical_condition": "In my own words"} {
		if err := k.DescribeType(ctx, name, description); err != nil {
			t.Fatal(err)
		}
	}
	k.reopen()
	if got := find("badge"); !got.Own || got.Description != "Which doors open" || got.Memories != 0 {
		t.Errorf("described: %+v", got)
	}
	if got := find("medical_condition"); !got.Own || got.Status != "registered" || got.Description != "In my own words" {
		t.Errorf("described anew: %+v", got)
	}
	if err := k.ForgetType(ctx, "medical_condition"); err != nil {
		t.Fatal(err)
	}
	if got := find("medical_condition"); got.Own || got.Description != "Known medical condition or diagnosis" {
		t.Errorf("forgotten: %+v", got)
	}
	r, text := k.export("own.json", core.ExportOptions{})
	k.valid(r.Path)
	if readStore(t, text).TypeRegistry != "https://portable-ai-memory.org/types/" {
		t.Errorf("the registry is not named: %s", text)
	}
	for reason, words := range map[string][2]string{
		"type-name-length": {" ", "x"}, "type-is-standard": {"goal", "x"}, "type-description-length": {"badge", ""},
	} {
		err := k.DescribeType(ctx, words[0], words[1])
		wantFault(t, err, fault.CodeOf(err), reason)
	}
	wantFault(t, k.ForgetType(ctx, "nobody"), fault.NotFound, "no-such-type")
}
