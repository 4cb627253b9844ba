package desktop

import "log"

// wailsLog hands what Wails logs to package log, whose output the program makes
// printable. Wails' own logger prints it as it is.
type wailsLog struct{}

func (wailsLog) Print(message string)   { log.Print(message) }
func (wailsLog) Trace(message string)   { log.Print(message) }
func (wailsLog) Debug(message string)   { log.Print(message) }
func (wailsLog) Info(message string)    { log.Print(message) }
func (wailsLog) Warning(message string) { log.Print(message) }
func (wailsLog) Error(message string)   { log.Print(message) }
func (wailsLog) Fatal(message string)   { log.Fatal(message) }
