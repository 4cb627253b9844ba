// Package system is what the doors that unlock a vault ask of the operating
// system: to say when nobody can be at the screen any more and whether the
// computer runs on its battery, and to keep what is in memory out of dumps.
package system
