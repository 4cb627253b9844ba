package vault_test

import (
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"keepsake/backend/fault"
	"keepsake/backend/memory"
	"keepsake/backend/seal"
	"keepsake/backend/vault"
)

// The scripted session: steps that a child takes one after the other and says
// when each is done, and the same steps on a map, which is what the vault must
// hold after them. It is interrupted in every way that these tests know.
const (
	sessionUntil = "KEEPSAKE_VAULT_TEST_UNTIL" // number of the last step, 0 = until it is killed
	sessionKinds = 14
	sessionLarge = 1_700_000 // characters of a conversation that no journal takes
)

// contained is what a vault holds: "collection id" to its text.
type contained map[string]string

// sessionText is the text of the i-th memory of a step.
func sessionText(n, i int) string {
	return strings.Repeat(fmt.Sprintf("step %d, memory %d. ", n, i), 1+(n*7+i*13)%150)
}

// sessionTalk is a conversation whose text cannot be packed much.
func sessionTalk(n int) *memory.Conversation {
	if n%sessionKinds != 8 {
		return conversation(fmt.Sprint("talk", n%3), 3+n%7, 400)
	}
	c := conversation("large", 3, 100)
	r := rand.New(rand.NewPCG(uint64(n), 8))
	text := make([]byte, sessionLarge/len(c.Messages))
	for m := range c.Messages {
		for i := range text {
			text[i] = byte(' ' + r.IntN(95))
		}
		c.Messages[m].Content.Text = string(text)
	}
	return c
}

func sessionBlob(n int) []byte { return bytes.Repeat(fmt.Appendf(nil, "blob of step %d ", n), 300) }

// sessionStep is what step n changes: its puts, a delete, a conversation.
type sessionStep struct {
	puts   map[string]string // of memories
	delete string
	talk   *memory.Conversation
	blob   []byte
}

func step(n int) (s sessionStep) {
	s.puts = map[string]string{}
	name := func(n, i int) string { return fmt.Sprintf("m%d-%d", n/sessionKinds%3, i) }
	switch n % sessionKinds {
	case 0, 5, 7, 9, 13:
		for i := range 4 {
			s.puts[name(n, n%sessionKinds*10+i)] = sessionText(n, i)
		}
	case 1:
		s.puts[name(n, 0)], s.puts[name(n, 4)] = sessionText(n, 98), sessionText(n, 99)
	case 2, 8:
		s.talk = sessionTalk(n)
	case 3:
		s.blob = sessionBlob(n)
	case 6:
		s.delete = name(n, 4) // which a snapshot holds
	}
	return s
}

// take is step n on the map.
func (held contained) take(n int) {
	s := step(n)
	for id, text := range s.puts {
		held[memoryKey(id)] = text
	}
	delete(held, memoryKey(s.delete))
	if s.talk != nil {
		held["talk "+s.talk.ID] = talkText(s.talk)
	}
	if s.blob != nil {
		held["blob"] = string(s.blob)
	}
	held["step"] = strconv.Itoa(n)
}

func memoryKey(id string) string { return fmt.Sprint("memory ", id) }

func talkText(c *memory.Conversation) string {
	var text strings.Builder
	for _, m := range c.Messages {
		text.WriteString(m.Content.Text)
	}
	return text.String()
}

// sessionStates is what is held after each step, from 0 (nothing) on.
func sessionStates(until int) []contained {
	states := []contained{{"step": "0"}}
	for n := 1; n <= until; n++ {
		next := maps.Clone(states[n-1])
		next.take(n)
		states = append(states, next)
	}
	return states
}

// sessionHolds reads everything a vault of the session holds, and its last step.
func sessionHolds(v *vault.Vault) (held contained, last int, err error) {
	held = contained{"step": "0"}
	ref := ""
	err = v.View(func(tx *vault.Tx) error {
		for e, err := range tx.Each(vault.Memories) {
			if err != nil {
				return err
			}
			held[memoryKey(e.ID)] = string(e.Plain)
		}
		for e, err := range tx.Each(vault.Settings) {
			switch {
			case err != nil:
				return err
			case e.ID == "blob":
				ref = string(e.Plain)
			default:
				held[e.ID] = string(e.Plain)
			}
		}
		for h, err := range tx.EachConversation() {
			if err != nil {
				return err
			}
			c, err := tx.Conversation(h.Conversation.ID)
			if err != nil {
				return err
			}
			held["talk "+c.ID] = talkText(c)
		}
		return nil
	})
	if err == nil && ref != "" {
		held["blob"], err = blobText(v, ref)
	}
	if err != nil {
		return nil, 0, err
	}
	last, err = strconv.Atoi(held["step"])
	return held, last, err
}

func blobText(v *vault.Vault, ref string) (string, error) {
	f, _, err := v.OpenBlob(ref)
	if err != nil {
		return "", err
	}
	defer f.Close()
	var text bytes.Buffer
	_, err = text.ReadFrom(f)
	return text.String(), err
}

// unlocked opens a vault of the session.
func unlocked(dir string) (*vault.Vault, error) {
	v, err := vault.Open(dir, clock)
	if err != nil {
		return nil, err
	}
	if err := v.Unlock(context.Background(), []byte(passphrase)); err != nil {
		return nil, errors.Join(err, v.Close())
	}
	return v, nil
}

// checkSession opens the vault in dir and compares it with what it must hold:
// the state after the last step that was confirmed, or after one that was begun.
func checkSession(dir string, states []contained, confirmed, begun int) (last int, err error) {
	v, err := unlocked(dir)
	if err != nil {
		return 0, err
	}
	defer v.Close()
	held, last, err := sessionHolds(v)
	if err != nil {
		return 0, err
	}
	return last, compareSession(held, last, states[min(last, len(states)-1)], confirmed, begun)
}

var errLost = errors.New("LOST")

// compareSession holds what a vault has against what its last step should leave.
func compareSession(held contained, last int, want contained, confirmed, begun int) error {
	if last < confirmed || last > begun {
		return fmt.Errorf("%w: it is at step %d; %d was confirmed, %d begun", errLost, last, confirmed, begun)
	}
	if !maps.Equal(held, want) {
		return fmt.Errorf("%w: after step %d it holds other things than it should: %v", errLost, last, differs(held, want))
	}
	return nil
}

func differs(got, want contained) (keys []string) {
	for k := range want {
		if got[k] != want[k] {
			keys = append(keys, k)
		}
	}
	for k := range got {
		if _, ok := want[k]; !ok {
			keys = append(keys, k)
		}
	}
	return keys
}

// maintain is what step n does to the files, without changing what is held.
func maintain(v *vault.Vault, n int) error {
	switch n % sessionKinds {
	case 4, 12:
		return v.Snapshot(context.Background())
	case 10:
		_, err := v.Compact(context.Background())
		return err
	case 11:
		return errors.Join(v.Freeze(), v.Thaw())
	}
	return nil
}

// play takes step n in a vault. gone are the traces of what was forgotten.
func play(v *vault.Vault, n int) (gone vault.Traces, err error) {
	if err := maintain(v, n); err != nil {
		return nil, err
	}
	s := step(n)
	var ref string
	if s.blob != nil {
		if ref, _, _, err = v.PutBlob(bytes.NewReader(s.blob)); err != nil {
			return nil, err
		}
	}
	err = v.Update(func(tx *vault.Tx) error {
		tx.Trace()
		for i := range 200 {
			id := fmt.Sprintf("m%d-%d", n/sessionKinds%3, i)
			if text, ok := s.puts[id]; ok {
				if err := tx.Put(vault.Memories, id, day, []byte(text)); err != nil {
					return err
				}
			}
		}
		if s.talk != nil {
			if err := putConversation(tx, vault.ConversationHead{}, s.talk); err != nil {
				return err
			}
		}
		if ref != "" {
			if err := tx.Put(vault.Settings, "blob", day, []byte(ref)); err != nil {
				return err
			}
		}
		if s.delete != "" && tx.Has(vault.Memories, s.delete) {
			if err := tx.Delete(vault.Memories, s.delete); err != nil {
				return err
			}
			gone = tx.Traces()
		}
		return tx.Put(vault.Settings, "step", day, []byte(strconv.Itoa(n)))
	})
	if err == nil && len(gone) > 0 {
		err = v.Erase(context.Background(), gone)
	}
	return gone, err
}

// childSession makes the vault where there is none and takes the steps that come
// next. After a fault it locks and unlocks the vault, as people are told to, and
// goes on; after five it gives up.
func childSession(dir string) error {
	runtime.LockOSThread() // strace counts system calls by thread
	until, _ := strconv.Atoi(os.Getenv(sessionUntil))
	s := &session{dir: dir}
	for s.v == nil || until == 0 || s.next <= until {
		if err := s.goOn(); err != nil {
			f := fault.From(err)
			fmt.Printf("fault %q %q %q %q\n", f.Reason, f.Message()+" "+f.Advice(), err, fmt.Sprint(errors.Unwrap(err)))
			if s.faults++; s.faults == 5 {
				return err
			}
		}
	}
	return s.v.Close()
}

type session struct {
	dir    string
	v      *vault.Vault
	next   int
	ready  bool // unlocked, and next is known
	faults int
}

// goOn does the next thing of the session.
func (s *session) goOn() (err error) {
	switch {
	case s.v == nil:
		s.v, err = vault.Open(s.dir, clock)
		if err == nil {
			return nil
		}
		if r := fault.From(err).Reason; r == "no-vault" || r == "vault-data-missing" { // it was only being made
			fmt.Println("begin 0")
			s.v, _, err = vault.Create(s.dir, vault.CreateOptions{Passphrase: []byte(passphrase), KDF: seal.TestKDF(), Now: clock})
		}
		return err
	case !s.ready:
		s.v.Lock()
		if err := s.v.Unlock(context.Background(), []byte(passphrase)); err != nil {
			return err
		}
		_, last, err := sessionHolds(s.v)
		if err == nil {
			s.next, s.ready = last+1, true
			fmt.Println("done", last, "-")
		}
		return err
	}
	fmt.Println("begin", s.next)
	gone, err := play(s.v, s.next)
	if err != nil {
		s.ready = false
		return err
	}
	var traces []byte
	for _, g := range gone {
		traces = append(traces, g[:]...)
	}
	fmt.Println("done", s.next, hex.EncodeToString(traces)+"-")
	s.next++
	return nil
}

// sessionSaid is what the lines of a session tell.
type sessionSaid struct {
	confirmed int // last step that is done, -1 before the vault was made
	begun     int // last step that was begun
	gone      [][]byte
	faults    []string
}

func (s *sessionSaid) hear(line string) error {
	var n int
	var traces string
	if _, err := fmt.Sscanf(line, "begin %d", &n); err == nil {
		s.begun = max(s.begun, n)
		return nil
	}
	if _, err := fmt.Sscanf(line, "done %d %s", &n, &traces); err == nil {
		s.confirmed, s.begun = max(s.confirmed, n), max(s.begun, n)
		raw, err := hex.DecodeString(strings.TrimSuffix(traces, "-"))
		for ; len(raw) >= 16; raw = raw[16:] {
			s.gone = append(s.gone, raw[:16])
		}
		return err
	}
	if strings.HasPrefix(line, "fault ") {
		s.faults = append(s.faults, line)
		return nil
	}
	return fmt.Errorf("the session said %q", line)
}

func (s *sessionSaid) hearAll(text string) error {
	for line := range strings.Lines(text) {
		if !strings.HasSuffix(line, "\n") {
			return nil // it was killed while it spoke
		}
		if err := s.hear(strings.TrimSuffix(line, "\n")); err != nil {
			return err
		}
	}
	return nil
}

// tracesIn is a file below dir that holds one of the traces, "" where none does.
func tracesIn(dir string, gone [][]byte) (where string, err error) {
	err = filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() || where != "" {
			return err
		}
		raw, err := os.ReadFile(path)
		for _, g := range gone {
			if bytes.Contains(raw, g) {
				where = path
			}
		}
		return err
	})
	return where, err
}

// soaking asks for the tests at their full size.
func soaking() bool { return os.Getenv(soak) != "" }

// slice says of one thing after the other whether it is to be tried: all are,
// unless KEEPSAKE_SLICE asks for a part, as 3/20 for the third, 23rd and so on.
func slice(t *testing.T) func() bool {
	part, of, n := 1, 1, 0
	if asked := os.Getenv("KEEPSAKE_SLICE"); asked != "" {
		if _, err := fmt.Sscanf(asked, "%d/%d", &part, &of); err != nil || part < 1 || part > of {
			t.Fatalf("KEEPSAKE_SLICE is %q, not as 3/20", asked)
		}
		t.Logf("only slice %s", asked)
	}
	return func() bool { n++; return n%of == part%of }
}

// sized is how often something is tried in a test, and in a soak.
func sized(test, soak int) int {
	if soaking() {
		return soak
	}
	return test
}

// Promise: the session itself, uninterrupted, ends with what its map says.
func TestSession(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "vault")
	const until = 2*sessionKinds + 3
	cmd := child(t, "session", dir)
	cmd.Env = append(cmd.Env, sessionUntil+"="+strconv.Itoa(until))
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	said := sessionSaid{confirmed: -1}
	if err := said.hearAll(string(out)); err != nil {
		t.Fatal(err)
	}
	if said.confirmed != until || len(said.faults) > 0 || len(said.gone) != 2 {
		t.Fatalf("it said %+v\n%s", said, out)
	}
	if _, err := checkSession(dir, sessionStates(until), until, until); err != nil {
		t.Fatal(err)
	}
	if where, err := tracesIn(dir, said.gone); where != "" || err != nil {
		t.Fatal(where, err)
	}
}
