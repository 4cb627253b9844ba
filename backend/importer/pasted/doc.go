// Package pasted reads what a person copied out of an assistant: the only way
// to the memories of ChatGPT, Copilot, Grok and Gemini.
//
// What such a text looks like:
//
//   - the answer to Claude's import prompt, first form (March 2026): one code
//     block, each line "[date] - content", and a sentence whether it is complete;
//   - its second form: the same under the heads Instructions, Identity, Career,
//     Projects, Preferences, numbered or not, in one, two or nested fences,
//     "[unknown]" where there is no date, bullets before the bracket;
//   - the answer to Gemini's import prompt: numbered heads, bullets in the third
//     person, below each a bullet "Evidence: … Date: [2026-01-02]." in the
//     language of the prompt, no code block;
//   - the list of ChatGPT's "Manage memories" copied from the page: plain lines,
//     and words of the page between them; or numbered with the day of each;
//   - Claude's "View and edit memory", or ChatGPT's memory summary: Markdown
//     prose under bold heads.
//
// Structure is recognised, not words: a nested bullet with a bracketed date is
// evidence in any language. What stands outside of the entries is counted and
// left out; where it says that more remain, the report does. An answer that
// there are no memories is none.
//
// The text came from a model and may be invented: it is never sure.
package pasted
