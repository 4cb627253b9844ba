package pam_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// ajvFolder is a folder below build/test with Ajv in it, which is made once.
// Where npm or its registry cannot be reached the test is skipped.
func ajvFolder(t *testing.T) string {
	t.Helper()
	npm, err := exec.LookPath("npm")
	if err != nil {
		t.Skip("npm is not on this machine: NOT compared with Ajv")
	}
	sum := sha256.New()
	names := []string{"package.json", "package-lock.json", "validate.mjs"}
	for _, name := range names {
		sum.Write(file(t, "testdata/ajv/"+name))
	}
	home, err := filepath.Abs(filepath.Join("../../../build/test", "ajv-"+hex.EncodeToString(sum.Sum(nil)[:4])))
	if err != nil {
		t.Fatal(err)
	}
	done := filepath.Join(home, "complete")
	if _, err := os.Stat(done); err == nil {
		return home
	}
	if err := os.MkdirAll(home, 0o700); err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		if err := os.WriteFile(filepath.Join(home, name), file(t, "testdata/ajv/"+name), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	install := exec.Command(npm, "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error")
	install.Dir = home
	if out, err := install.CombinedOutput(); err != nil {
		t.Skipf("Ajv cannot be had from the registry of npm: NOT compared with it: %v\n%s", err, out)
	}
	if err := os.WriteFile(done, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	return home
}

// TestAjv lets a JSON Schema validator of another language judge our exports by
// our schemas, and every fourth of the mutants: its verdicts are ours.
func TestAjv(t *testing.T) {
	t.Parallel()
	home, dir := ajvFolder(t), t.TempDir()
	store := filepath.Join(dir, "store.json")
	if err := os.WriteFile(store, exported(t), 0o600); err != nil {
		t.Fatal(err)
	}
	bundle, mutants := filepath.Join(dir, "bundle"), filepath.Join(dir, "mutants.jsonl")
	writeBundle(t, bundle)
	writeMutants(t, mutants, 4)
	schemas, err := filepath.Abs("../../../schemas")
	if err != nil {
		t.Fatal(err)
	}
	args := []string{filepath.Join(home, "validate.mjs"), schemas, store, filepath.Join(bundle, "memory-store.json"), mutants}
	conversations, err := filepath.Glob(filepath.Join(bundle, "conversations", "*.json"))
	if err != nil || len(conversations) == 0 {
		t.Fatalf("no conversations in the bundle: %v", err)
	}
	cmd := exec.Command("node", append(args, conversations...)...)
	var complaint bytes.Buffer
	cmd.Stderr = &complaint
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, &complaint)
	}
	var said struct {
		Documents int               `json:"documents"`
		Issues    []string          `json:"issues"`
		Mutants   int               `json:"mutants"`
		Valid     int               `json:"valid"`
		Differ    []json.RawMessage `json:"differ"`
	}
	if err := json.Unmarshal(out, &said); err != nil {
		t.Fatal(err)
	}
	for _, issue := range said.Issues {
		t.Errorf("Ajv refuses our export: %s", issue)
	}
	for _, d := range said.Differ {
		t.Errorf("another verdict: %.2000s", d)
	}
	if said.Documents != 2+len(conversations) || said.Mutants < 5000 || said.Valid == 0 {
		t.Errorf("%d documents and %d mutants, %d valid", said.Documents, said.Mutants, said.Valid)
	}
	t.Logf("%d exports valid to Ajv too; %d mutants compared, %d of them valid, 0 other verdicts", said.Documents, said.Mutants, said.Valid)
}

// exported is a signed export of ours.
func exported(t *testing.T) []byte { return store(t, 20, key(t)) }
