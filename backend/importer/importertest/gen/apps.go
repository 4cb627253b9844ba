package gen

import "slices"

// Apps are small exports of further assistants and chat programs.
func Apps() []Layer {
	return slices.Concat(OpenCode(), Cline(), CherryStudio(), Chatbox(), SillyTavern(), LlamaCpp(), TypingMind())
}
