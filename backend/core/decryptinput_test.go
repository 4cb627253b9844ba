package core_test

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"filippo.io/age"
	"filippo.io/age/armor"

	"keepsake/backend/core"
	"keepsake/backend/fault"
)

var filePassphrase = []byte("passphrase of the file")

// encrypted is what the age library makes of a text, as bytes or armored.
func encrypted(t *testing.T, text []byte, armored bool) []byte {
	t.Helper()
	return encryptedAt(t, 10, text, armored) // quick; what we write is tested elsewhere
}

// encryptedAt is encrypted with another work factor.
func encryptedAt(t *testing.T, work int, text []byte, armored bool) []byte {
	t.Helper()
	to := ok(age.NewScryptRecipient(string(filePassphrase)))
	to.SetWorkFactor(work)
	var out bytes.Buffer
	var w io.Writer = &out
	var end io.Closer = io.NopCloser(nil)
	if armored {
		a := armor.NewWriter(&out)
		w, end = a, a
	}
	in := ok(age.Encrypt(w, to))
	ok(in.Write(text))
	if err := in.Close(); err != nil {
		t.Fatal(err)
	}
	if err := end.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// Promise: an export that is encrypted is planned and imported with its
// passphrase, and says in words that it needs it.
func TestImportEncrypted(t *testing.T) {
	k := fresh(t)
	plain := ok(os.ReadFile(k.write("a.zip", sampleBook())))
	for name, text := range map[string][]byte{"a.zip.age": encrypted(t, plain, false), "b.zip.age": encrypted(t, plain, true)} {
		in := core.Input{Path: k.file(name, text)}
		plan := ok(k.PlanImport(ctx, []core.Input{in}, core.ImportOptions{}))
		wantFault(t, plan.Sources[0].Fault, fault.Refused, "file-encrypted")
		in.Passphrase = []byte("another passphrase")
		plan = ok(k.PlanImport(ctx, []core.Input{in}, core.ImportOptions{}))
		wantFault(t, plan.Sources[0].Fault, fault.WrongPassphrase, "file-passphrase")
		in.Passphrase = filePassphrase
		plan = ok(k.PlanImport(ctx, []core.Input{in}, core.ImportOptions{}))
		if p := plan.Sources[0]; p.Fault != nil || p.Provider != "parrot" || p.Names[0] != name {
			t.Fatalf("%+v", p)
		}
		if _, err := k.Import(ctx, []core.Input{in}, core.ImportOptions{}, nil); err != nil {
			t.Fatal(err)
		}
	}
	if st := k.state(); st.Memories == 0 || st.Conversations == 0 {
		t.Errorf("%+v", st)
	}
}

// Promise: what we write encrypted is opened by the age library and, where it is
// installed, by the age tool; and what those write is read.
func TestAgeOpensExports(t *testing.T) {
	k := full(t)
	r, sealed := k.export("out.pam.zip.age", core.ExportOptions{IncludeConversations: true, Passphrase: filePassphrase})
	plain := ok(io.ReadAll(ok(age.Decrypt(bytes.NewReader(sealed), ok(age.NewScryptIdentity(string(filePassphrase)))))))
	path := k.file("plain.pam.zip", plain)
	if report := k.report(path); report.Verdict != core.VerdictOwn || !report.Whole || !r.Encrypted {
		t.Errorf("%+v", report)
	}
	for name, armored := range map[string]bool{"again.age": false, "armored.age": true} {
		in := core.Input{Path: k.file(name, encrypted(t, plain, armored)), Passphrase: filePassphrase}
		if report := ok(k.Verify(ctx, in, nil)); report.Verdict != core.VerdictOwn || !report.Whole {
			t.Errorf("%s: %+v", name, report)
		}
		if v := ok(k.Validate(ctx, in)); !v.Valid {
			t.Errorf("%s: %+v", name, v)
		}
		if i := ok(k.Inspect(ctx, in)); i.Conversations == 0 {
			t.Errorf("%s: %+v", name, i)
		}
	}
	if _, err := exec.LookPath("age"); err != nil {
		t.Log("the age tool is not on this machine: NOT tried with it")
		return
	}
	opened := filepath.Join(k.root, "opened.zip")
	typed := exec.Command("script", "-qec", "age -d -o "+opened+" "+r.Path, "/dev/null") // age asks a terminal
	typed.Stdin = strings.NewReader(string(filePassphrase) + "\n")
	if out, err := typed.CombinedOutput(); err != nil {
		t.Fatalf("age -d: %v\n%s", err, out)
	}
	if !bytes.Equal(ok(os.ReadFile(opened)), plain) {
		t.Error("the age tool read something else")
	}
}

// Promise: a file that asks for more than age itself does is refused in words before any
// of its work is done, as bytes and armored.
func TestForeignWorkIsBounded(t *testing.T) {
	k := fresh(t)
	whole := encrypted(t, []byte("{}"), false)
	for _, work := range []string{"19", "20", "22", "30", "64"} {
		text := bytes.Replace(whole, []byte(" 10\n"), []byte(" "+work+"\n"), 1)
		var armored bytes.Buffer
		a := armor.NewWriter(&armored)
		ok(a.Write(text))
		if err := a.Close(); err != nil {
			t.Fatal(err)
		}
		for name, text := range map[string][]byte{"a.age": text, "b.age": armored.Bytes()} {
			plan := ok(k.PlanImport(ctx, []core.Input{{Path: k.file(name, text), Passphrase: filePassphrase}}, core.ImportOptions{}))
			wantFault(t, plan.Sources[0].Fault, fault.Unsupported, "file-work")
		}
	}
}

// Promise: of many files that a passphrase does not open, a few are tried; those that it
// opens do not count.
func TestTriesAreBounded(t *testing.T) {
	k := fresh(t)
	plain := ok(os.ReadFile(k.write("a.zip", sampleBook())))
	sealed := encrypted(t, plain, false)
	var inputs []core.Input
	for i := range 20 {
		inputs = append(inputs, core.Input{Path: k.file(fmt.Sprintf("%d.zip.age", i), sealed), Passphrase: []byte("another passphrase")})
	}
	plan := ok(k.PlanImport(ctx, inputs, core.ImportOptions{}))
	for i, p := range plan.Sources {
		if i < 8 {
			wantFault(t, p.Fault, fault.WrongPassphrase, "file-passphrase")
		} else {
			wantFault(t, p.Fault, fault.Refused, "too-many-tries")
		}
	}
	if len(plan.Sources) != len(inputs) {
		t.Errorf("%d sources of %d", len(plan.Sources), len(inputs))
	}
	for i := range inputs {
		inputs[i].Passphrase = filePassphrase
	}
	for _, p := range ok(k.PlanImport(ctx, inputs, core.ImportOptions{})).Sources {
		if p.Fault != nil {
			t.Errorf("%s: %v", p.Names, p.Fault)
		}
	}
}
