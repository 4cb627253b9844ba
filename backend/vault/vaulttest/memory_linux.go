package vaulttest

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"strings"

	"golang.org/x/sys/unix"
)

// scanWindow is how much of a process's memory is looked at at once, in bytes.
const scanWindow = 1 << 20

// MemoryScan counts how often each needle stands in the writable memory of a
// process, as it is and as UTF-16. Needles are handed over inverted, bit by bit
// (see Inverted): a search of one's own process would find itself otherwise. They
// have eight bytes at least.
// What it needs lies outside of Go's heap, for the same reason.
func MemoryScan(pid int, inverted [][]byte) ([]int, error) {
	maps, err := os.Open(fmt.Sprintf("/proc/%d/maps", pid))
	if err != nil {
		return nil, err
	}
	defer maps.Close()
	mem, err := os.Open(fmt.Sprintf("/proc/%d/mem", pid))
	if err != nil {
		return nil, err
	}
	defer mem.Close()
	own, err := unix.Mmap(-1, 0, 2*scanWindow, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
	if err != nil {
		return nil, err
	}
	defer unix.Munmap(own)
	s := memoryScanner{mem: mem, window: own[:scanWindow], needles: needlesIn(own[scanWindow:], inverted), counts: make([]int, len(inverted))}
	s.prepare()
	lines := bufio.NewScanner(maps)
	for lines.Scan() {
		var from, to uint64
		var rights string
		if _, err := fmt.Sscanf(lines.Text(), "%x-%x %s", &from, &to, &rights); err != nil {
			return nil, err
		}
		if strings.HasPrefix(rights, "rw") && !s.isOwn(int64(from), int64(to)) {
			s.region(int64(from), int64(to))
		}
	}
	clear(own)
	return s.counts, lines.Err()
}

// Inverted is text with every bit turned round.
func Inverted(text string) []byte {
	out := make([]byte, len(text))
	for i := range out {
		out[i] = ^text[i]
	}
	return out
}

type memoryScanner struct {
	mem     *os.File
	window  []byte
	needles [][]byte // in pairs: as it is, as UTF-16
	counts  []int
	begin   map[uint64][]int // first eight bytes to needles
	maybe   [1 << 16]bool    // whether any needle begins with bytes of this sum
}

// sum is a place in maybe.
func sum(begin uint64) uint64 { return begin * 0x9e3779b97f4a7c15 >> 48 }

func (s *memoryScanner) prepare() {
	s.begin = map[uint64][]int{}
	for i, n := range s.needles {
		first := binary.LittleEndian.Uint64(n)
		s.begin[first] = append(s.begin[first], i)
		s.maybe[sum(first)] = true
	}
}

// needlesIn turns the needles round into room.
func needlesIn(room []byte, inverted [][]byte) [][]byte {
	var needles [][]byte
	for _, n := range inverted {
		plain, wide := room[:len(n):len(n)], room[len(n):3*len(n):3*len(n)]
		for i, b := range n {
			plain[i], wide[2*i] = ^b, ^b
		}
		needles = append(needles, plain, wide)
		room = room[3*len(n):]
	}
	return needles
}

// isOwn reports whether a region is the scan's own room. Neighbours merge with
// it in the list of regions, so that they are left out as well.
func (s *memoryScanner) isOwn(from, to int64) bool {
	at := int64(addressOf(s.window))
	return from <= at && at < to
}

func (s *memoryScanner) region(from, to int64) {
	longest := 0
	for _, n := range s.needles {
		longest = max(longest, len(n))
	}
	for at := from; at < to; at += int64(len(s.window) - longest) {
		n, err := s.mem.ReadAt(s.window[:min(int64(len(s.window)), to-at)], at)
		if n == 0 && err != nil && err != io.EOF {
			continue // a hole: a guard page, or what was given back meanwhile
		}
		// What begins after this is seen again.
		for i := range min(n-7, len(s.window)-longest) {
			if first := binary.LittleEndian.Uint64(s.window[i:]); s.maybe[sum(first)] {
				s.compare(s.window[i:n], s.begin[first])
			}
		}
	}
}

// compare counts the needles that text begins with. It goes byte by byte: what
// compares more at once does so in vector registers, and a needle in those is
// put aside with them when the scan is interrupted.
func (s *memoryScanner) compare(text []byte, needles []int) {
	for _, i := range needles {
		same := 0
		for same < len(s.needles[i]) && same < len(text) && text[same] == s.needles[i][same] {
			same++
		}
		if same == len(s.needles[i]) {
			s.counts[i/2]++
		}
	}
}
