// Package terminal prints for people. Much of what is printed came from outside:
// names of files, ids, what memories say. None of it acts on the terminal.
package terminal
