package meaning

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"keepsake/backend/core/library"
	"keepsake/backend/fault"
	"keepsake/backend/search"
	"keepsake/backend/vault"
	"keepsake/backend/vectors"
)

// Encoder turns texts into vectors. It is safe for concurrent use.
type Encoder interface {
	// Name is the model. Vectors of encoders with another Name, or with another number of
	// Dimensions, are never compared with these.
	Name() string
	Dimensions() int
	// Mean is the mean vector of texts in general, and QuestionMean that of questions; nil if
	// it is not known.
	Mean() []float32
	QuestionMean() []float32
	// Similarity maps the cosine of two vectors, each less the mean of its kind, to a number
	// from 0 to 1; what answers a question mostly has 0.7 or more.
	Similarity(cosine float64) float64
	// Embed returns a vector of length 1 for each text. Its first call may load a model.
	Embed(ctx context.Context, texts []string) ([][]float32, error)
}

// Config is what an Embedder needs besides its session.
type Config struct {
	Encoder Encoder // nil: texts are not compared by meaning
	// InBackground makes vectors in a background goroutine after each change.
	// Otherwise they are made when they are asked for.
	InBackground bool
	// IsBusy tells whether the background should wait: somebody uses the program, or the
	// computer is on battery. nil: never.
	IsBusy func() bool
}

// Embedder makes the vectors of a session's vault. It has one goroutine in the background,
// or none.
type Embedder struct {
	cfg     Config
	session *library.Session
	told    func() // callback: there are more vectors than before
	wake    chan struct{}

	working sync.Mutex // held by the one CatchUp that runs
	batch   sync.Mutex // held while texts are read, embedded and put, and while vectors are purged

	mu     sync.Mutex
	index  *vectors.Index // nil until it is open
	left   int            // units that have no vectors yet, as far as is known
	failed error          // why the background ended
}

// Start begins to make the vectors of a session. It calls told whenever there are more.
func Start(v *library.Session, cfg Config, told func()) *Embedder {
	x := &Embedder{cfg: cfg, session: v, told: told, wake: make(chan struct{}, 1)}
	if cfg.Encoder != nil && cfg.InBackground {
		v.Background.Go(func() { x.run(v.Context) })
	}
	return x
}

// Wake has the background look for what changed. It returns at once.
func (x *Embedder) Wake() {
	select {
	case x.wake <- struct{}{}:
	default: // it is about to look anyway
	}
}

// settleAfter is how long the vault must stay unchanged before vectors are made.
const settleAfter = 2 * time.Second

// run is the goroutine of the background. It ends with ctx, when the vault is locked.
func (x *Embedder) run(ctx context.Context) {
	for {
		if !library.Sleep(ctx, settleAfter) {
			return
		}
		err := func() (err error) {
			defer library.Recovered(&err)
			return x.CatchUp(ctx, 0)
		}()
		if err != nil && ctx.Err() == nil {
			x.set(func() { x.failed = err })
			return
		}
		select {
		case <-x.wake:
		case <-ctx.Done():
			return
		}
	}
}

func (x *Embedder) set(fn func()) {
	x.mu.Lock()
	defer x.mu.Unlock()
	fn()
}

// Limits of the work.
const (
	batchTexts = 64              // texts that are embedded together
	flushEvery = 16              // batches that may be lost in a crash
	waitAtMost = 2 * time.Second // for somebody to pause, before the next batch
	waitStep   = 100 * time.Millisecond
	toldEvery  = time.Second
)

// CatchUp makes the vectors that are missing, of the newest memories first and of
// conversations last, but of no more than most units; 0: of all.
func (x *Embedder) CatchUp(ctx context.Context, most int) error {
	if x.cfg.Encoder == nil {
		return errNoEncoder()
	}
	x.working.Lock()
	defer x.working.Unlock()
	todo, err := x.sync()
	if err != nil || len(todo) == 0 {
		return err
	}
	ix, err := x.open()
	if err != nil {
		return err
	}
	if most > 0 && len(todo) > most {
		todo = todo[:most]
	}
	told := time.Now()
	for i := 0; len(todo) > 0; i++ {
		x.pause(ctx)
		if err := ctx.Err(); err != nil {
			return errors.Join(err, ix.Flush())
		}
		n, err := x.step(ctx, ix, todo)
		if err == nil && i%flushEvery == flushEvery-1 {
			err = ix.Flush()
		}
		if err != nil {
			return err
		}
		todo = todo[n:]
		x.set(func() { x.left -= n })
		if time.Since(told) >= toldEvery {
			told = time.Now()
			x.told()
		}
	}
	err = ix.Flush()
	x.told()
	return err
}

// sync opens the index and returns the units without vectors, in the order in which they
// are wanted.
func (x *Embedder) sync() ([]search.Unit, error) {
	x.batch.Lock()
	defer x.batch.Unlock()
	ix, err := x.open()
	if err != nil {
		return nil, err
	}
	todo, err := ix.Sync(x.session.Rows.Units())
	slices.SortStableFunc(todo, func(a, b search.Unit) int {
		return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(b.Seq, a.Seq))
	})
	x.set(func() { x.left = len(todo) })
	return todo, err
}

// opened returns the index of vectors of the vault, compared with the vault at least once.
func (x *Embedder) opened() (*vectors.Index, error) {
	x.mu.Lock()
	ix := x.index
	x.mu.Unlock()
	if ix != nil {
		return ix, nil
	}
	if _, err := x.sync(); err != nil {
		return nil, err
	}
	return x.open()
}

// open returns the index of vectors of the vault.
func (x *Embedder) open() (*vectors.Index, error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.index != nil {
		return x.index, nil
	}
	store, err := library.IndexStore(x.session.Vault)
	if err != nil {
		return nil, err
	}
	e := x.cfg.Encoder
	x.index, err = vectors.Open(store, vectors.Options{Model: e.Name(), Dimensions: e.Dimensions(), Mean: e.Mean()})
	return x.index, err
}

// pause lets the background wait while the program is used, though never for long: somebody
// who works in it all day is to be found by meaning too.
func (x *Embedder) pause(ctx context.Context) {
	if !x.cfg.InBackground || x.cfg.IsBusy == nil {
		return
	}
	for until := time.Now().Add(waitAtMost); x.cfg.IsBusy() && time.Now().Before(until); {
		if !library.Sleep(ctx, waitStep) {
			return
		}
	}
}

// step makes the vectors of the first units of todo and returns how many units that were.
func (x *Embedder) step(ctx context.Context, ix *vectors.Index, todo []search.Unit) (int, error) {
	x.batch.Lock()
	defer x.batch.Unlock()
	read, n, err := x.read(todo)
	if err != nil {
		return 0, err
	}
	var texts []string
	for _, u := range read {
		for _, p := range u.passages {
			texts = append(texts, p.text)
		}
	}
	numbers, err := x.cfg.Encoder.Embed(ctx, texts)
	if err == nil && len(numbers) != len(texts) {
		err = fmt.Errorf("embed %d texts: %d vectors", len(texts), len(numbers))
	}
	if err != nil {
		return 0, err
	}
	entries := make([]vectors.Entry, 0, len(read))
	for _, u := range read {
		e := vectors.Entry{Unit: u.unit}
		for _, p := range u.passages {
			e.Vectors = append(e.Vectors, vectors.Vector{Part: p.part, Numbers: numbers[0]})
			numbers = numbers[1:]
		}
		entries = append(entries, e)
	}
	return n, ix.Put(entries...)
}

// readUnit is a unit of the vault with its texts.
type readUnit struct {
	unit     search.Unit
	passages []passage
}

// read reads the texts of the first units of todo, up to batchTexts, and returns how many
// units that were. One that is gone is left out; one that is damaged counts as without text,
// and is reported when it is opened.
func (x *Embedder) read(todo []search.Unit) (read []readUnit, n int, err error) {
	texts := 0
	err = x.session.Vault.View(func(tx *vault.Tx) error {
		for ; n < len(todo) && texts < batchTexts; n++ {
			u := todo[n]
			id, mark, ok := x.session.Rows.At(u.Kind, u.Seq)
			if !ok {
				continue
			}
			u.Mark = mark
			passages, err := passagesOf(tx, u.Kind, id)
			switch fault.CodeOf(err) {
			case fault.NotFound:
				continue
			case fault.Damaged:
				passages, err = nil, nil
			}
			if err != nil {
				return err
			}
			read, texts = append(read, readUnit{u, passages}), texts+max(1, len(passages))
		}
		return nil
	})
	return read, n, err
}

// Purge removes the vectors of records that the vault has no longer from the index file.
func (x *Embedder) Purge() error {
	if x.cfg.Encoder == nil {
		store, err := library.IndexStore(x.session.Vault)
		if err != nil {
			return err
		}
		return vectors.Reset(store) // what another program made; nobody here can tell whose they are
	}
	x.batch.Lock()
	defer x.batch.Unlock()
	ix, err := x.open()
	if err == nil {
		_, err = ix.Sync(x.session.Rows.Units())
	}
	if err == nil {
		err = ix.Flush()
	}
	return err
}

// Rebuild removes all vectors; CatchUp makes them anew.
func (x *Embedder) Rebuild() error {
	x.working.Lock()
	defer x.working.Unlock()
	store, err := library.IndexStore(x.session.Vault)
	if err == nil {
		x.set(func() { x.index, x.failed = nil, nil })
		err = vectors.Reset(store)
	}
	x.Wake()
	return err
}

// State is how far the index of a vault is.
type State struct {
	Records int    // memories and conversations
	Model   string // "": this program compares no meaning
	Vectors int
	Missing int // memories and conversations without vectors
	Failed  error
}

// State opens the index and compares it with the vault, if that was not done yet.
func (x *Embedder) State() (State, error) {
	records := x.session.Rows.Count()
	if x.cfg.Encoder == nil {
		return State{Records: records}, nil
	}
	ix, err := x.opened()
	if err != nil {
		return State{}, err
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	return State{Records: records, Model: x.cfg.Encoder.Name(), Vectors: ix.Count(), Missing: x.left, Failed: x.failed}, nil
}

func errNoEncoder() error {
	return fault.New(fault.Unsupported, "no-model", "This Keepsake was built without its language model, so it compares words and not meaning.")
}

// IsNoModel reports whether an error says that there is no language model: the program was
// built without it, or it is damaged.
func IsNoModel(err error) bool {
	if err == nil {
		return false
	}
	reason := fault.From(err).Reason
	return reason == "no-model" || reason == "model-damaged"
}
