// Package pam reads and writes Portable AI Memory v1.0: it builds and signs
// exports, verifies and validates files of anybody, and knows the keys.
//
// What is written has the one form that both reference validators accept: no
// null members, status and tags always present, access with all three of its
// members or none, times in UTC with no fraction or six digits, signatures in
// unpadded base64url. A document is written and read one memory at a time.
package pam
