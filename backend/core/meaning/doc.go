// Package meaning keeps a vector of each memory, and of what the person wrote in each
// conversation, and answers with them: what is close in meaning to a question, a memory or
// another memory. Everything it keeps can be made again from the vault.
package meaning
