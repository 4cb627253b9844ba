// Package sessions finds the files in which assistants on this computer keep their sessions,
// opens what a hook names only where it is one of them, and remembers which the owner of the
// vault is to take. It knows no vault and no content.
package sessions
