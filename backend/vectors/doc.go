// Package vectors finds the texts of a vault that are closest in meaning to another: an
// index of their vectors, which anything that is lost of it can be made again from the
// vault. Vectors are kept with 8 bits a number, in sealed pages beside the search index;
// docs/embeddings.md has the layout and the figures.
package vectors
