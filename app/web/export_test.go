package web

// Host is the shell that a browser is.
type Host = host

// NewHost and CloseHost make and end one without a server.
var NewHost = newHost

func CloseHost(h *Host) { h.close() }
