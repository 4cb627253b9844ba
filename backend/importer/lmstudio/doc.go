// Package lmstudio reads the conversations of LM Studio, as they lie in
// ~/.lmstudio/conversations: <milliseconds>.conversation.json, one object a
// file.
//
// Each place of the conversation holds its versions (an edit, another answer),
// and which one is selected; what follows hangs below the selected one. A
// version is one step, or several: text, thoughts, calls of tools. There are no
// times of messages.
package lmstudio
