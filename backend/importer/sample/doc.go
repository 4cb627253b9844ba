// Package sample makes the small exports that "Try with sample data" and
// `keepsake demo` read: one of ChatGPT, one of Claude, both of the same made-up
// person. They go through the same readers as everybody's own; nothing about
// them is special but that they are made by code.
package sample
