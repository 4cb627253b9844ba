package downloads

// LookIn is Look in a folder that a test names.
var LookIn = lookIn
