package pam_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"keepsake/backend/format/pam"
)

// TestReferenceChecksum recomputes hashes and checksum of our export as
// Appendix C does, in the reference's language, twice: over the document as it
// is, and over it as the reference library would write it out again (nulls
// dropped, defaults filled in, times in its own form). Both must be ours.
func TestReferenceChecksum(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("python3 is not on this machine: NOT compared with the reference")
	}
	file := filepath.Join(t.TempDir(), "store.json")
	if err := os.WriteFile(file, store(t, 20, key(t)), 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command(python, "testdata/reference.py", file).CombinedOutput()
	if err != nil || !strings.Contains(string(out), "both agree") {
		t.Fatalf("%v\n%s", err, out)
	}
}

// official is the SDK's Python, in a virtual environment below build/test that
// is made once. Where the registry cannot be reached the test is skipped.
func official(t *testing.T) string {
	t.Helper()
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("python3 is not on this machine: NOT compared with the official SDK")
	}
	wanted, err := os.ReadFile("testdata/requirements.txt")
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256(wanted)
	home, err := filepath.Abs(filepath.Join("../../../build/test", "pam-sdk-"+hex.EncodeToString(sum[:4])))
	if err != nil {
		t.Fatal(err)
	}
	inside, done := filepath.Join(home, "bin", "python3"), filepath.Join(home, "complete")
	if runtime.GOOS == "windows" {
		inside = filepath.Join(home, "Scripts", "python.exe")
	}
	if _, err := os.Stat(done); err == nil {
		return inside
	}
	for _, command := range [][]string{
		{python, "-m", "venv", "--clear", home},
		{inside, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "-r", "testdata/requirements.txt"},
	} {
		if out, err := exec.Command(command[0], command[1:]...).CombinedOutput(); err != nil {
			t.Skipf("the official SDK cannot be had from PyPI: NOT compared with it: %v\n%s", err, out)
		}
	}
	if err := os.WriteFile(done, wanted, 0o600); err != nil {
		t.Fatal(err)
	}
	return inside
}

// TestOfficialSDK lets the official SDK judge our export, read it and write it
// again, and lets it write one for us; its published schemas judge thousands of
// mutants. Any disagreement is ours to explain.
func TestOfficialSDK(t *testing.T) {
	python, dir := official(t), t.TempDir()
	ours := store(t, 20, key(t))
	if err := os.WriteFile(filepath.Join(dir, "store.json"), ours, 0o600); err != nil {
		t.Fatal(err)
	}
	writeBundle(t, filepath.Join(dir, "bundle"))
	writeMutants(t, filepath.Join(dir, "mutants.jsonl"), 9)

	cmd := exec.Command(python, "testdata/sdk.py", dir)
	var complaint bytes.Buffer
	cmd.Stderr = &complaint
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, &complaint)
	}
	var said struct {
		Issues    []string          `json:"issues"`
		Signature bool              `json:"signature"`
		Checksum  bool              `json:"checksum"`
		Mutants   int               `json:"mutants"`
		Differ    []json.RawMessage `json:"differ"`
		Breaks    int               `json:"line_breaks"`
	}
	if err := json.Unmarshal(out, &said); err != nil {
		t.Fatal(err)
	}
	if len(said.Issues) > 0 || !said.Signature || !said.Checksum {
		t.Errorf("%+v", said)
	}
	for _, d := range said.Differ {
		t.Errorf("another schema verdict: %.2000s", d)
	}
	if said.Mutants < 2000 {
		t.Errorf("only %d mutants", said.Mutants)
	}
	t.Logf("%d mutants compared, %d other verdicts; Python alone takes %d more, in which a line break ends a text", said.Mutants, len(said.Differ), said.Breaks)

	again := file(t, filepath.Join(dir, "again.json"))
	if r := verify(t, again, pam.Trust{}); r.Verdict != pam.Unknown {
		t.Errorf("our export, written again by the SDK: %+v", r)
	}
	theirs := file(t, filepath.Join(dir, "theirs.json"))
	if v := validate(t, "theirs.json", theirs); !v.Valid || len(v.Warnings) > 0 {
		t.Errorf("what the SDK wrote: %+v", v)
	}
	if v := validate(t, "rewritten.json", file(t, filepath.Join(dir, "rewritten.json"))); !v.Valid || v.SumRule != pam.SumRewritten {
		t.Errorf("what the SDK sums after writing it again: %+v", v)
	}
	if r := verify(t, theirs, pam.Trust{}); r.Verdict != pam.Unsigned {
		t.Errorf("what the SDK wrote: %+v", r)
	}
}

func file(t testing.TB, path string) []byte {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// TestSpecificationsValidator lets the specification's own validator judge our
// bundle, an increment, and what both merge into. It is on no package registry and
// is nobody's to copy here: PAM_SPECIFICATION names a folder that holds the
// specification's repository.
func TestSpecificationsValidator(t *testing.T) {
	spec := os.Getenv("PAM_SPECIFICATION")
	if spec == "" { // nothing is fetched from elsewhere for a test, and no registry has it
		t.Skip("PAM_SPECIFICATION names no copy of the specification's repository, and no package registry has it: NOT compared with its validator")
	}
	python, repo := official(t), t.TempDir()
	if err := os.CopyFS(filepath.Join(repo, "schemas"), os.DirFS(filepath.Join(spec, "schemas"))); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(repo, "examples"), 0o700); err != nil {
		t.Fatal(err)
	}
	judge := func(name string) string {
		t.Helper()
		out, err := exec.Command(python, filepath.Join(spec, "scripts", "validate_pam.py"), "--repo-root", repo).CombinedOutput()
		if (err == nil) == (name == "broken.json") || err == nil && !strings.Contains(string(out), "All checks passed") {
			t.Errorf("%s: %v\n%s", name, err, out)
		}
		return string(out)
	}
	bundle := filepath.Join(repo, "examples", "bundle")
	writeBundle(t, bundle)
	said := judge("bundle")
	if !strings.Contains(said, "0 warnings") {
		t.Errorf("%s", said)
	}
	var base, merged bytes.Buffer
	if _, err := pam.WriteZip(&base, embedded(t, 20), pam.Bundle{Embeddings: each(embeddingsOf(20)), Conversations: each([]pam.Talk{{Conversation: fullConversation()}})}, options(key(t))); err != nil {
		t.Fatal(err)
	}
	delta := deltaOf(t, 22, func(d doc) { says(d.memory(1), "now something else") })
	if _, err := pam.Merge(t.Context(), tree(t, "base.zip", base.Bytes()), tree(t, "delta.json", delta), compiled(t), pam.MergeOptions{Theirs: true}, pam.ToZip(&merged, day)); err != nil {
		t.Fatal(err)
	}
	for name, files := range map[string]map[string]string{
		"delta.json": {"delta.json": string(delta)}, "merged": entries(t, merged.Bytes()),
		"broken.json": {"broken.json": strings.Replace(string(delta), "now something", "not something", 1)},
	} {
		if err := os.RemoveAll(bundle); err != nil {
			t.Fatal(err)
		}
		for at, text := range files {
			to := filepath.Join(bundle, filepath.FromSlash(at))
			if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(to, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		judge(name)
	}
}

func writeBundle(t *testing.T, dir string) {
	t.Helper()
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	b := pam.Bundle{Conversations: each([]pam.Talk{{Conversation: fullConversation()}})}
	if _, err := pam.WriteFolder(dir, source(t, 20), b, options(key(t))); err != nil {
		t.Fatal(err)
	}
}
