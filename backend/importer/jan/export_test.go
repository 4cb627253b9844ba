package jan

// LimitSessions lets a session be only so large, until the answer is called.
func LimitSessions(bytes int64) (end func()) {
	was := maxSession
	maxSession = bytes
	return func() { maxSession = was }
}
