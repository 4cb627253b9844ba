// Package localsocket lets the processes of one person reach the one of them that shows a vault:
// by a socket in a folder that is theirs alone.
package localsocket
