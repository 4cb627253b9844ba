// Package files opens what a person hands over, a path or an upload, through its
// encryption, and says in words why a file cannot be written. It knows no vault.
package files
