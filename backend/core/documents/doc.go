// Package documents works on files in Portable AI Memory (PAM) and the Memory Interchange
// Format (MIF): it verifies, validates, inspects, compares, merges and signs them, with or
// without a vault. It manages the keyring of an open vault, against which signatures are
// checked, and writes documents (Output). It imports and exports nothing.
package documents
