package core

import "keepsake/backend/intake"

// HoldUpload is Service.AddUpload for data that is there already, whatever disk it
// lies on.
func HoldUpload(s *Service, name string, size int64, data intake.Scratch) Input {
	s.uploads.mu.Lock()
	defer s.uploads.mu.Unlock()
	if s.uploads.held == nil {
		s.uploads.held = map[string]*upload{}
	}
	s.uploads.held[name] = &upload{name: name, size: size, data: data}
	return Input{Upload: name}
}
