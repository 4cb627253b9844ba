// Package compare says how two short statements about a person stand to each other: whether
// they tell the same fact twice, may contradict each other, are about the same topic, or none
// of these. Its inputs are the two texts and the cosine of their vectors; its rules look
// for what hardly changes a vector: numbers, dates, negation, and values of what one has
// only once, in English, Portuguese, Spanish, German and French. Research calls the task
// natural language inference and paraphrase identification; there are rules here that can be
// read, and nothing is learnt. docs/compare.md has the rules, the figures and the limits.
package compare
