package redact

import (
	"slices"
	"strings"
)

// inTables finds the values of a column whose head is a word for a password: the
// file that a browser or a password manager writes, and a table of Markdown.
func (f *finder) inTables() {
	if !strings.Contains(f.text, "\n") {
		return // one line has no rows below it, and most texts are one line
	}
	column, width, sign := -1, 0, ""
	at := 0
	for line := range strings.Lines(f.text) {
		start := at
		at += len(line)
		f.looked += len(line)
		if column < 0 {
			column, width, sign = passwordColumn(f.low[start:at])
			continue
		}
		cells := strings.Split(strings.TrimRight(line, "\r\n"), sign)
		if len(cells) != width {
			column = -1
			continue
		}
		for _, cell := range cells[:column] {
			start += len(cell) + len(sign)
		}
		f.cell(start, cells[column])
	}
}

// passwordColumn reads a line as the head of a table.
func passwordColumn(line string) (column, width int, sign string) {
	for _, sign := range []string{"|", "\t", ",", ";"} {
		if strings.Count(line, sign) < 2 {
			continue
		}
		cells := strings.Split(strings.TrimRight(line, "\r\n"), sign)
		column := slices.IndexFunc(cells, func(cell string) bool {
			cell = strings.Trim(cell, " *\"")
			return cell != "pin" && slices.ContainsFunc(passwordNames, func(n passwordName) bool { return n.word == cell })
		})
		if column >= 0 {
			return column, len(cells), sign
		}
	}
	return -1, 0, ""
}

func (f *finder) cell(start int, cell string) {
	value := strings.TrimLeft(cell, " \"`")
	start += len(cell) - len(value)
	value = strings.TrimRight(value, " \"`")
	if secretWord(value, true, true) {
		f.add(Password, start, start+len(value))
	}
}
