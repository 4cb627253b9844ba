// Package seal is the cryptography of the vault: it turns a passphrase into
// keys and bytes into sealed bytes. It is the only room that touches Argon2 or
// an AEAD, and it knows bytes, not memories. docs/vault-format.md is the norm;
// this package is its first reader.
//
// The words:
//
//   - A Header holds slots. Each slot is one way in (passphrase, recovery key)
//     and wraps the same random vault master key.
//   - Keys is the opened vault: the master key's children, one a purpose, and
//     the epoch keys. A key never serves two purposes.
//   - An epoch is a random data key with a number, the key_version of records.
//   - A Sealer seals and opens records under a subkey of their own.
//   - A Manifest sums a keyed digest of every record, so that a record which is
//     missing, doubled, moved or old is noticed.
//   - A Scratch is a temporary file under a key that was never written down.
//
// Everything is AES-256-GCM with random nonces from the standard library;
// there is no nonce in our hands to get wrong.
package seal
