package vault_test

import (
	"bufio"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// needStrace skips where system calls can be neither watched nor failed.
func needStrace(t *testing.T) {
	t.Helper()
	if err := exec.Command("strace", "-f", "--seccomp-bpf", "-o", os.DevNull, "true").Run(); err != nil {
		// Containers may forbid tracing; the message says what is not tried then.
		t.Skipf("NO STRACE HERE (%v): NEITHER POWER CUTS NOR FAILING SYSTEM CALLS ARE TRIED. sh scripts/system.sh test installs it.", err)
	}
}

// underStrace is a child that strace runs.
func underStrace(t *testing.T, task, dir string, args ...string) *exec.Cmd {
	t.Helper()
	cmd := child(t, task, dir)
	traced := exec.CommandContext(t.Context(), "strace", append(append([]string{"-f", "--seccomp-bpf"}, args...), cmd.Path)...)
	traced.Env = cmd.Env
	return traced
}

// tracedCalls are the system calls that change files, or say what a file descriptor
// stands for.
const tracedCalls = "openat,write,pwrite64,writev,pwritev,ftruncate,fallocate,fsync,fdatasync,rename,renameat,renameat2,unlink,unlinkat,rmdir,mkdir,mkdirat," +
	"link,linkat,close,lseek,copy_file_range,sendfile,splice,dup,dup2,dup3,ioctl"

// record runs a child and returns what it did to the files below root.
func record(t *testing.T, task, dir, root string, env ...string) (ops []diskOp, out string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "trace")
	cmd := underStrace(t, task, dir, "-xx", "-s", "33554432", "-e", "trace="+tracedCalls, "-e", "signal=none", "-o", path)
	cmd.Env = append(cmd.Env, env...)
	said, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, said)
	}
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	p := straceLog{root: root, files: map[int]*openFile{}, begun: map[string]string{}}
	lines := bufio.NewReaderSize(f, 1<<20)
	for {
		line, err := lines.ReadString('\n')
		if line != "" {
			if err := p.line(strings.TrimSuffix(line, "\n")); err != nil {
				t.Fatalf("%v in %.300s", err, line)
			}
		}
		if errors.Is(err, io.EOF) {
			return p.ops, string(said)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// diskOp is one thing that was done to the files. Paths are below the root.
type diskOp struct {
	kind   string // open, create, mkdir, write, truncate, flush, rename, exchange, remove, copy, say
	file   int    // number of an opened file, for write, truncate, flush and copy
	path   string
	to     string // of rename
	at     int64
	data   []byte
	size   int64 // of truncate and copy
	from   int   // number of the file that is copied
	fromAt int64
}

// openFile is what a descriptor stands for.
type openFile struct {
	number int
	path   string // below the root
	pos    int64
	append bool
}

// straceLog turns lines of strace into what was done.
type straceLog struct {
	root  string
	files map[int]*openFile
	count int
	begun map[string]string // by thread, the first half of a call that another one interrupted
	ops   []diskOp
}

func (p *straceLog) line(text string) error {
	thread, rest, ok := strings.Cut(text, " ")
	rest = strings.TrimLeft(rest, " ")
	switch {
	case !ok || strings.HasPrefix(rest, "+++") || strings.HasPrefix(rest, "---"):
		return nil
	case strings.HasSuffix(rest, " <unfinished ...>"):
		p.begun[thread] = strings.TrimSuffix(rest, " <unfinished ...>")
		return nil
	case strings.HasPrefix(rest, "<... "):
		_, second, ok := strings.Cut(rest, " resumed>")
		if !ok {
			return errors.New("half a call")
		}
		rest = p.begun[thread] + second
		delete(p.begun, thread)
	}
	name, rest, ok := strings.Cut(rest, "(")
	end := strings.LastIndex(rest, ") ")
	if !ok || end < 0 {
		return errors.New("no call")
	}
	_, result, ok := strings.Cut(rest[end:], "= ")
	if !ok {
		return errors.New("no result")
	}
	result, _, _ = strings.Cut(result, " ")
	n, err := strconv.ParseInt(result, 0, 64)
	if err != nil || n < 0 {
		return nil // it failed, or never ended
	}
	args := strings.Split(rest[:end], ", ")
	c := call{p: p, name: name, args: args, result: n}
	if err := c.take(); err != nil {
		return err
	}
	return c.err
}

// call is one system call that went well.
type call struct {
	p      *straceLog
	name   string
	args   []string
	result int64
	err    error
}

func (c *call) note(err error) {
	if c.err == nil {
		c.err = err
	}
}

func (c *call) number(i int) int64 {
	n, err := strconv.ParseInt(strings.Trim(c.args[i], "[]"), 0, 64)
	c.note(err)
	return n
}

func (c *call) bytes(i int) []byte {
	text := c.args[i]
	if !strings.HasPrefix(text, `"`) || !strings.HasSuffix(text, `"`) {
		c.note(fmt.Errorf("argument %d is cut off", i))
		return nil
	}
	raw, err := hex.DecodeString(strings.ReplaceAll(text[1:len(text)-1], `\x`, ""))
	c.note(err)
	return raw
}

// below is a path below the root, "" for others.
func (c *call) below(dir, name int) string {
	path := string(c.bytes(name))
	if !filepath.IsAbs(path) {
		if c.args[dir] == "AT_FDCWD" {
			return ""
		}
		f := c.file(dir)
		if f == nil {
			return ""
		}
		return filepath.Join(f.path, path)
	}
	rel, err := filepath.Rel(c.p.root, path)
	if err != nil || rel == ".." || strings.HasPrefix(rel, "../") {
		return ""
	}
	return rel
}

func (c *call) file(i int) *openFile { return c.p.files[int(c.number(i))] }

func (c *call) do(op diskOp) { c.p.ops = append(c.p.ops, op) }

func (c *call) take() error {
	switch c.name {
	case "openat":
		c.open()
	case "close":
		delete(c.p.files, int(c.number(0)))
	case "write":
		c.write()
	case "pwrite64":
		if f := c.file(0); f != nil {
			c.do(diskOp{kind: "write", file: f.number, at: c.number(3), data: c.bytes(1)[:c.result]})
		}
	case "ftruncate":
		if f := c.file(0); f != nil {
			c.do(diskOp{kind: "truncate", file: f.number, size: c.number(1)})
		}
	case "fsync", "fdatasync":
		if f := c.file(0); f != nil {
			c.do(diskOp{kind: "flush", file: f.number})
		}
	case "lseek":
		if f := c.file(0); f != nil {
			f.pos = c.result
		}
	case "copy_file_range":
		c.copyRange()
	case "renameat", "renameat2":
		c.rename()
	case "unlinkat":
		if path := c.below(0, 1); path != "" {
			c.do(diskOp{kind: "remove", path: path})
		}
	case "mkdirat":
		if path := c.below(0, 1); path != "" {
			c.do(diskOp{kind: "mkdir", path: path})
		}
	case "ioctl":
		if len(c.args) > 1 && strings.Contains(c.args[1], "CLONE") {
			return errors.New("blocks are shared; the trace must be recorded where they cannot be")
		}
	default:
		return c.unknown()
	}
	return nil
}

// unknown fails a trace whose meaning would be missed.
func (c *call) unknown() error {
	if n, err := strconv.Atoi(c.args[0]); err == nil && c.p.files[n] == nil {
		return nil
	}
	return fmt.Errorf("%s is not understood", c.name)
}

func (c *call) open() {
	path := c.below(0, 1)
	if path == "" {
		return
	}
	c.p.count++
	f := &openFile{number: c.p.count, path: path, append: strings.Contains(c.args[2], "O_APPEND")}
	c.p.files[int(c.result)] = f
	op := diskOp{kind: "open", file: f.number, path: path}
	if strings.Contains(c.args[2], "O_CREAT") {
		op.kind = "create"
	}
	c.do(op)
	if strings.Contains(c.args[2], "O_TRUNC") {
		c.do(diskOp{kind: "truncate", file: f.number})
	}
}

func (c *call) write() {
	if c.args[0] == "1" {
		c.do(diskOp{kind: "say", data: c.bytes(1)})
		return
	}
	f := c.file(0)
	if f == nil {
		return
	}
	if f.append {
		c.note(errors.New("a file that is appended to"))
	}
	c.do(diskOp{kind: "write", file: f.number, at: f.pos, data: c.bytes(1)[:c.result]})
	f.pos += c.result
}

func (c *call) copyRange() {
	from, to := c.file(0), c.file(2)
	if to == nil || c.result == 0 {
		return
	}
	if from == nil || c.args[1] != "NULL" || c.args[3] != "NULL" {
		c.note(errors.New("a copy at places of its own"))
		return
	}
	c.do(diskOp{kind: "copy", file: to.number, at: to.pos, from: from.number, fromAt: from.pos, size: c.result})
	from.pos += c.result
	to.pos += c.result
}

func (c *call) rename() {
	from, to := c.below(0, 1), c.below(2, 3)
	switch {
	case from == "" && to == "":
	case len(c.args) > 4 && strings.Contains(c.args[4], "RENAME_EXCHANGE"):
		c.do(diskOp{kind: "exchange", path: from, to: to})
	default:
		c.do(diskOp{kind: "rename", path: from, to: to})
	}
	// Descriptors keep their files; only folders are opened by name again.
	for _, f := range c.p.files {
		if f.path == from {
			f.path = to
		}
	}
}
