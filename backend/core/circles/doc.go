// Package circles keeps who may be given which memories. A circle is an entity of PAM's access
// block (§9) with a name, what it is filled with, and what never leaves for it. docs/circles.md
// has the rules.
package circles
