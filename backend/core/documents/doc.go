// Package documents works on documents of Portable AI Memory and the Memory Interchange
// Format as files: it verifies, validates, inspects, compares, merges and signs them, with
// or without a vault. It keeps the keyring of an open vault, by which signatures are
// judged, and writes documents (Output). It imports and exports nothing.
package documents
