// Package loopback serves HTTP to programs on this computer: it listens on the loopback interface
// alone, and tells requests that a browser sends for another page, or under another name. Who may ask
// for what is decided by its callers: every account of the computer can connect.
package loopback
