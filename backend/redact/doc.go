// Package redact finds personal data and secrets in texts.
package redact
