// Package folderwatch tells that something changed in a folder, by the file notifications of the
// system. It opens no file, and knows neither a vault nor what lies in the folder.
package folderwatch
