// Package desktop is the window: it binds the structs of app/bridge to a Wails
// web view, and is the only room that imports Wails. Built without the tags
// "desktop,production" it compiles without GTK, so that it can be checked and
// tested anywhere; only a tagged build can open a window.
//
// Everything that must happen before the web view starts (is there a display,
// does a window for this vault run already) happens before wails.Run, because
// Wails' own single-instance lock starts the second process first and ends it
// with a failure.
package desktop
