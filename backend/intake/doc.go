// Package intake turns an untrusted path (zip, several parts, folder, loose
// file) into a bounded, read-only tree of files.
//
// Nothing is ever extracted under its own name, and every byte is counted
// while it is read: declared sizes are not believed. What breaks a limit or a
// rule of names is refused with the entry's name and the number.
package intake
