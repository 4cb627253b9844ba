package core_test

import (
	"os"
	"path/filepath"
	"testing"

	"keepsake/backend/core"
	"keepsake/backend/fault"
)

// TestBundlesAreSignedInAnyShape: a folder where it lies and anew, a zip, a file that
// is encrypted; a bundle with the digest of all its files.
func TestBundlesAreSignedInAnyShape(t *testing.T) {
	k := full(t)
	keyFile := filepath.Join(k.root, "key")
	key := ok(k.Keygen(ctx, keyFile, nil))
	secret := []byte("a passphrase for the file")
	whole := core.ExportOptions{Unsigned: true, IncludeConversations: true, IncludeAttachments: true}
	export := func(name string, o core.ExportOptions) string {
		r, _ := k.export(name, o)
		return r.Path
	}
	sealed := core.ExportOptions{Unsigned: true, Passphrase: secret}
	for _, c := range []struct {
		from, out string
		bundle    bool
		o         core.ExportOptions
	}{
		{"folder/", "", true, whole},
		{"folder2/", "folder3/", true, whole},
		{"folder4/", "folder4.zip", true, whole},
		{"zip.zip", "", true, whole},
		{"zip2.zip", "zip2/", true, whole},
		{"one.json", "", false, core.ExportOptions{Unsigned: true}},
		{"one2.json", "one2.zip", true, core.ExportOptions{Unsigned: true}},
		{"one3.json.age", "", false, sealed},
		{"one4.json.age", "one4.json.age", false, sealed},
	} {
		in := core.Input{Path: export(c.from, c.o)}
		if c.o.Passphrase != nil {
			in.Passphrase = secret
		}
		out := c.out
		if out != "" {
			out = filepath.Join(k.root, c.out) + tail(c.out)
		}
		at := in
		if out != "" {
			at.Path = out
		}
		if _, err := k.SignFile(ctx, in, keyFile, nil, out); err != nil {
			t.Fatalf("%s to %q: %v", c.from, c.out, err)
		}
		if got, err := k.SignFile(ctx, at, keyFile, nil, ""); err != nil || got.DID != key.DID { // over what was signed
			t.Fatalf("%s to %q again: %v", c.from, c.out, err)
		}
		r := ok(k.Verify(ctx, at, []string{keyFile}))
		if r.Verdict != core.VerdictKnown || !r.Valid || r.Whole != c.bundle {
			t.Errorf("%s to %q: %+v", c.from, c.out, r)
		}
		if c.o.Passphrase != nil {
			if r := ok(k.Verify(ctx, core.Input{Path: at.Path}, nil)); r.Verdict == core.VerdictKnown {
				t.Errorf("%s is readable without its passphrase", c.from)
			}
		}
		if v := ok(k.Validate(ctx, at)); !v.Valid || len(v.Warnings) != 0 {
			t.Errorf("%s to %q: %+v", c.from, c.out, v)
		}
	}
	plain := export("plain.json", core.ExportOptions{Unsigned: true})
	_, err := k.SignFile(ctx, core.Input{Path: plain}, keyFile, nil, filepath.Join(k.root, "plain.json.age"))
	wantFault(t, err, fault.Invalid, "export-age-plain")
	zip := export("all.zip", whole)
	_, err = k.SignFile(ctx, core.Input{Path: zip}, keyFile, nil, filepath.Join(k.root, "all.json"))
	wantFault(t, err, fault.Unsupported, "sign-bundle")
	if _, err := os.Stat(filepath.Join(k.root, "all.json")); err == nil {
		t.Error("wrote a bundle into a single file")
	}
}
