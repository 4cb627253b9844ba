// Package app joins the parts once, looks at what was asked for, and opens one
// door: a command, the window, or the page in a browser. It holds no logic.
package app
