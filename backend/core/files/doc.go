// Package files opens the files that a person chooses, by path or as an upload, and decrypts
// them. It also turns write errors into messages for people. It does not use the vault.
package files
