// Package importertest is the suite that every reader of exports must pass,
// and the receiving side it reads into.
//
// A room calls [Run] with exports of its own kind and of others, and looks at
// what [Read] gives for everything that is special about its format.
package importertest
