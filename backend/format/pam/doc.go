// Package pam reads and writes Portable AI Memory v1.0: it builds and signs
// exports, verifies and validates files of anybody, and knows the keys.
//
// What is written has the one form that both reference validators accept: no
// null members, status and tags always present, access with all three of its
// members or none, times in UTC with no fraction or six digits, signatures in
// unpadded base64url. A document is written and read one memory at a time.
//
// The files are in four layers, each of which uses only those before it:
//
//  1. reading and words: read, scan, strict, wire, head, members, decode, cursor and
//     glance (JSON without decoding it), rules, key, keyfile, statement, signature
//  2. writing: build, bundle, companion, embeddings, encode, sum, digest
//  3. checking: verify*, validate*, inspect, rewritten, and take, which hands what was
//     checked to an import
//  4. documents made of documents: merge*, mix, diff, signfile
package pam
