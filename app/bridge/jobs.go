package bridge

import (
	"sync"

	"keepsake/backend/fault"
)

// keptJobs bounds how many ended jobs a page can still ask about.
const keptJobs = 32

// jobs remembers the last progress of each job, for pages that missed events.
type jobs struct {
	mu    sync.Mutex
	last  map[string]ProgressView
	order []string
}

// note merges what an event said into what is known and returns the whole.
func (j *jobs) note(id string, change func(*ProgressView)) ProgressView {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.last == nil {
		j.last = map[string]ProgressView{}
	}
	view, known := j.last[id]
	if !known {
		view.Job = id
		j.order = append(j.order, id)
		if len(j.order) > keptJobs {
			delete(j.last, j.order[0])
			j.order = j.order[1:]
		}
	}
	change(&view)
	j.last[id] = view
	return view
}

func (j *jobs) get(id string) (ProgressView, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	view, ok := j.last[id]
	if !ok {
		return ProgressView{}, fault.New(fault.NotFound, "no-job", "That job is not known any more.")
	}
	return view, nil
}
