// Package core holds Service: one method for each thing a person can ask of
// Keepsake. Doors (window, page, command line) parse, call one method, and
// translate the result; everything that is decided is decided here.
package core
