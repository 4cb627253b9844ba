// Package downloads finds exports in the folder where a browser puts what is downloaded, so that they
// can be offered to the person. It reads of a file what tells whose export it is, and takes nothing.
package downloads
