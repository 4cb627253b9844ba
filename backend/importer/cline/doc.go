// Package cline reads the tasks of Cline, and of Roo Code and Kilo Code, which came from
// it (seen in their source as of 2026-09). A task is a folder, called by its id:
//
//	tasks/<id>/ui_messages.json               what stood in the window
//	tasks/<id>/api_conversation_history.json  what the model was sent, with all that the program added
//	tasks/<id>/history_item.json              what Roo Code and Kilo Code know of the task
//	state/taskHistory.json                    what Cline knows of all of them
//
// The first is read, and the second only where the first is missing.
package cline
