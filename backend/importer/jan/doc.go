// Package jan reads the threads of Jan, as they lie in its data folder:
// threads/<id>/thread.json says what the thread is called, messages.jsonl beside
// it holds a message a line. Times are in seconds or in milliseconds.
package jan
