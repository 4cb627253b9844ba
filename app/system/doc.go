// Package system is what the doors that unlock a vault ask of the operating
// system: to report that the screen was locked, and whether the computer
// runs on battery, and to keep what is in memory out of dumps.
package system
