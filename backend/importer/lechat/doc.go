// Package lechat reads the exports of Mistral's Le Chat (called Vibe since 2026).
//
// A zip with a file chat-<uuid>.json for each conversation, an array of its
// messages, and the files of a conversation in chat-<uuid>-files/ beside it.
// There is no title in it: the beginning of the first question stands for one.
// A message consists of content, or of contentChunks (text, tool_call,
// reference, custom_element, image_url, file_reference), and may carry canvases.
// A message of the same id with another version is another try at it.
package lechat
