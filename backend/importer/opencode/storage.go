package opencode

import (
	"cmp"
	"crypto/sha256"
	"hash"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"keepsake/backend/importer"
	"keepsake/backend/importer/jsonstream"
	"keepsake/backend/intake"
)

// storage is the folder: its files by what they belong to, which is what their own folder
// is called.
type storage struct {
	sessions map[string]intake.File   // by id
	messages map[string][]intake.File // by the id of their session
	parts    map[string][]intake.File // by the id of their message
}

// shelve tells the files of the folder from others.
func shelve(files []intake.File) (s storage, others []intake.File) {
	s = storage{map[string]intake.File{}, map[string][]intake.File{}, map[string][]intake.File{}}
	for _, f := range files {
		id, isJSON := strings.CutSuffix(f.Base(), ".json")
		kind, _, _ := strings.Cut(id, "_")
		in := path.Base(path.Dir(f.Path))
		_, again := s.sessions[id]
		switch {
		case isJSON && kind == "ses" && !again && path.Dir(f.Path) != ".":
			s.sessions[id] = f
		case isJSON && kind == "msg" && strings.HasPrefix(in, "ses_"):
			s.messages[in] = append(s.messages[in], f)
		case isJSON && kind == "prt" && strings.HasPrefix(in, "msg_"):
			s.parts[in] = append(s.parts[in], f)
		default:
			others = append(others, f)
		}
	}
	return s, others
}

// stored gives the sessions of the folder, in the order of their ids. Of one whose own
// file is missing there are still the messages.
func (r *reading) stored(s storage) error {
	ids := slices.Sorted(maps.Keys(s.sessions))
	for id := range s.messages {
		if _, known := s.sessions[id]; !known {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	for _, id := range ids {
		if err := r.fromStorage(s, id); err != nil {
			return err
		}
	}
	for _, left := range s.parts {
		for range left {
			r.Sink.Skipped("part-without-message")
		}
	}
	return nil
}

// fromStorage puts one session together.
func (r *reading) fromStorage(s storage, id string) error {
	g := &gathering{reading: r, sum: sha256.New(), size: importer.Session{Max: r.most}}
	of := session{}
	if f, ok := s.sessions[id]; ok {
		v, err := g.object(f)
		if err != nil {
			return err
		}
		of.info, of.file = v, f
	} else {
		of.info, of.file = jsontext.Value(`{"id":"`+id+`"}`), s.messages[id][0]
	}
	if of.info == nil { // its file is damaged, which was told
		of.info = jsontext.Value(`{"id":"` + id + `"}`)
	}
	for _, f := range inOrder(s.messages[id]) {
		info, err := g.object(f)
		if err != nil {
			return err
		}
		key := strings.TrimSuffix(f.Base(), ".json")
		said := spoken{info: info}
		for _, p := range inOrder(s.parts[key]) {
			part, err := g.object(p)
			if err != nil {
				return err
			}
			if part != nil {
				said.parts = append(said.parts, part)
			}
		}
		delete(s.parts, key)
		if info != nil {
			of.messages = append(of.messages, said)
		}
		if g.size.Over() {
			of.messages = nil
		}
	}
	if g.size.Over() {
		r.TooLarge(of.file, 1, true, g.size.Limit())
		return nil
	}
	slices.SortStableFunc(of.messages, func(a, b spoken) int { return cmp.Compare(created(a.info), created(b.info)) })
	of.sum = [32]byte(g.sum.Sum(nil))
	return r.session(of)
}

// inOrder sorts files by their ids, which begin with the time; what has the same name was
// handed over twice.
func inOrder(files []intake.File) []intake.File {
	slices.SortStableFunc(files, func(a, b intake.File) int { return strings.Compare(a.Base(), b.Base()) })
	return slices.CompactFunc(files, func(a, b intake.File) bool { return a.Base() == b.Base() })
}

func created(info jsontext.Value) float64 {
	n, _ := jsonstream.Number(jsonstream.Member(jsonstream.Member(info, "time"), "created"))
	return n
}

// gathering reads the files of one session.
type gathering struct {
	*reading
	sum  hash.Hash
	size importer.Session
}

// object is what a file holds, nil where that is no object or the session has become
// too large.
func (g *gathering) object(f intake.File) (v jsontext.Value, err error) {
	if g.size.Over() {
		return nil, nil
	}
	err = g.Elements(f, func(it importer.Item) error {
		if it.Raw.Kind() != '{' {
			g.Sink.Unknown("record:" + it.Raw.Kind().String())
			return nil
		}
		g.sum.Write(it.Raw)
		if v = it.Raw; !g.size.Hold(len(it.Raw)) {
			v = nil
		}
		return nil
	})
	return v, err
}
