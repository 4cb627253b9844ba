package importer

import (
	"cmp"

	"keepsake/backend/fault"
	"keepsake/backend/importer/jsonstream"
	"keepsake/backend/intake"
)

// Session bounds what is held of a conversation that a reader puts together from the
// lines of one file, and gives once it has seen the last of them.
type Session struct {
	Max int64 // bytes; zero is MaxElement

	held int64
	over bool
}

// Hold counts bytes of lines that are held from now on, or that no longer are. It
// reports whether the session is still within its limit; once it is not, it never is
// again.
func (s *Session) Hold(bytes int) bool {
	s.held += int64(bytes)
	s.over = s.over || s.held > s.Limit()
	return !s.over
}

// Over reports that the session was larger than is held of one.
func (s *Session) Over() bool { return s.over }

// Limit is how many bytes are held at most.
func (s *Session) Limit() int64 {
	return cmp.Or(s.Max, jsonstream.MaxElement)
}

// Within is take for as long as the session is within its limit. Once it is not, that is
// told, and letGo forgets what is held of it.
func (r *Reading) Within(s *Session, take func(Item) error, letGo func()) func(Item) error {
	return func(it Item) error {
		if s.Over() {
			return nil
		}
		if err := take(it); err != nil || !s.Over() {
			return err
		}
		r.Refuse(s, it.File, it.At)
		letGo()
		return nil
	}
}

// Refuse reports a session that is over its limit, and at which line it was. Everything
// else that the tree holds is read.
func (r *Reading) Refuse(s *Session, f intake.File, line int) {
	r.bad(f, "line ", line, true, fault.New(fault.TooLarge, "session-too-large", "The session in {name} is larger than {limit} MiB and was left out. Everything else was read.").
		With("name", f.Path).With("limit", s.Limit()>>20).
		Advise("Cut the file into smaller ones between two lines, and import these together."))
}
