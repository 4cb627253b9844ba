// Package web shows the page to a browser on this machine: the structs of
// app/bridge behind JSON over HTTP on the loopback interface, their events as
// server-sent events, files by upload and download.
//
// Whoever may use it has typed the address that was printed: it holds a token
// that works once and is exchanged for a cookie. Everything else is refused,
// and so is every request that names another host (a rebound name), comes from
// another origin, or, where it changes something, lacks the header which a
// foreign page cannot send.
package web
