package meaning

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
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
	Encoder Encoder // the built-in model; nil: texts are not compared by meaning without a Server
	// Server is asked instead of Encoder, through Connect; its zero value: none is.
	Server  Server
	Connect Connect
	// InBackground makes vectors in a background goroutine after each change.
	// Otherwise they are made when they are asked for.
	InBackground bool
	// IsBusy tells whether the background should wait: somebody uses the program. nil: never.
	IsBusy func() bool
	// OnBattery tells whether the computer runs on its battery; then the background makes few
	// vectors. nil: never.
	OnBattery func() bool
}

// Embedder makes the vectors of a session's vault. It has one goroutine in the background,
// or none.
type Embedder struct {
	cfg     Config // its Server is guarded by mu
	session *library.Session
	told    func() // callback: there are more vectors than before
	wake    chan struct{}

	working sync.Mutex // held by the one CatchUp that runs
	batch   sync.Mutex // held while texts are read, embedded and put, and while vectors are purged

	mu        sync.Mutex
	model     *model             // nil until its index is open
	interrupt context.CancelFunc // of the CatchUp that runs; nil: none does
	reconnect bool               // CatchUp has to ask the server anew what its model is
	left      int                // units that have no vectors yet, as far as is known
	failed    error              // why the last CatchUp, or the last question to a server, failed
}

// model is an Encoder with the index of the vectors that it made.
type model struct {
	Encoder
	index *vectors.Index
	probe []float32 // of a server's model; see Connect
}

// Start begins to make the vectors of a session. It calls told whenever there are more.
func Start(v *library.Session, cfg Config, told func()) *Embedder {
	x := &Embedder{cfg: cfg, session: v, told: told, wake: make(chan struct{}, 1)}
	if cfg.InBackground {
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

// Pauses of the background after it failed, when a server may answer later, and on battery.
const (
	firstRetry = 15 * time.Second // doubled each time
	lastRetry  = 5 * time.Minute
	pluggedIn  = time.Minute // until it looks again whether the computer is plugged in
)

// mostOnBattery is how many memories and conversations get vectors on battery after a change:
// those of a day, hardly ever of an import.
const mostOnBattery = batchTexts

// onBattery tells whether the computer runs on its battery.
func (x *Embedder) onBattery() bool { return x.cfg.OnBattery != nil && x.cfg.OnBattery() }

// run is the goroutine of the background. It ends with ctx, when the vault is locked.
func (x *Embedder) run(ctx context.Context) {
	pause := firstRetry
	for library.Sleep(ctx, settleAfter) {
		err := func() (err error) {
			defer library.Recovered(&err)
			if !x.Compares() {
				return nil
			}
			if x.onBattery() {
				return x.CatchUp(ctx, mostOnBattery)
			}
			return x.CatchUp(ctx, 0)
		}()
		if ctx.Err() != nil {
			return
		}
		x.noteOutcome(err)
		if err == nil {
			pause = firstRetry
		}
		if !x.wait(ctx, pause) {
			return
		}
		if err != nil {
			pause = min(2*pause, lastRetry)
		}
	}
}

// noteOutcome keeps why CatchUp failed, if it did, and says so when that is new.
func (x *Embedder) noteOutcome(err error) {
	_, before := x.trouble()
	x.set(func() { x.failed = err })
	if (err == nil) != (before == nil) {
		x.told()
	}
}

// wait returns true when CatchUp is to run: after a change, once the computer is plugged in if
// it left something, or, while a server fails, after a pause. It returns false when ctx ends.
func (x *Embedder) wait(ctx context.Context, pause time.Duration) bool {
	var retry <-chan time.Time
	plugged := time.NewTicker(pluggedIn)
	defer plugged.Stop()
	for {
		server, failed := x.trouble()
		if failed != nil && server && retry == nil {
			retry = time.After(pause)
		}
		select {
		case <-x.wake:
			if _, failed := x.trouble(); failed == nil {
				return true
			}
		case <-retry:
			return true
		case <-plugged.C:
			if x.isLeft() && !x.onBattery() {
				return true
			}
		case <-ctx.Done():
			return false
		}
	}
}

// isLeft tells whether the last CatchUp made no vectors of some units, without having failed.
func (x *Embedder) isLeft() bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.left > 0 && x.failed == nil
}

// trouble returns whether a server is asked, and why that, or the built-in model, failed last.
func (x *Embedder) trouble() (server bool, failed error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.cfg.Server != Server{}, x.failed
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
// conversations last, but of no more than most units; 0: of all. If it is interrupted while
// ctx goes on, it begins again.
func (x *Embedder) CatchUp(ctx context.Context, most int) error {
	for {
		err := x.catchUp(ctx, most)
		if errors.Is(err, ErrModelChanged()) {
			x.set(func() { x.reconnect = true })
			err = x.catchUp(ctx, most)
		}
		if !errors.Is(err, context.Canceled) || ctx.Err() != nil {
			return err
		}
		library.Sleep(ctx, waitStep) // who interrupted it goes first
	}
}

func (x *Embedder) catchUp(ctx context.Context, most int) error {
	x.working.Lock()
	defer x.working.Unlock()
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	x.set(func() { x.interrupt = stop })
	if err := x.connect(ctx); err != nil {
		return err
	}
	m, todo, err := x.sync()
	if err != nil || len(todo) == 0 {
		return err
	}
	if most > 0 && len(todo) > most {
		todo = todo[:most]
	}
	told := time.Now()
	for i := 0; len(todo) > 0; i++ {
		x.pause(ctx)
		if err := ctx.Err(); err != nil {
			return errors.Join(err, m.index.Flush())
		}
		n, err := x.step(ctx, m, todo)
		if err == nil && i%flushEvery == flushEvery-1 {
			err = m.index.Flush()
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
	err = m.index.Flush()
	x.told()
	return err
}

// stop interrupts the CatchUp that runs, so that what it holds is free soon.
func (x *Embedder) stop() {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.interrupt != nil {
		x.interrupt()
	}
}

// sync compares the index with the vault, and returns it with the units without vectors, in
// the order in which they are wanted.
func (x *Embedder) sync() (*model, []search.Unit, error) {
	x.batch.Lock()
	defer x.batch.Unlock()
	m, err := x.open()
	if err != nil {
		return nil, nil, err
	}
	todo, err := m.index.Sync(x.session.Rows.Units())
	slices.SortStableFunc(todo, func(a, b search.Unit) int {
		return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(b.Seq, a.Seq))
	})
	x.set(func() { x.left = len(todo) })
	return m, todo, err
}

// opened returns the model with its vectors, compared with the vault at least once.
func (x *Embedder) opened() (*model, error) {
	x.mu.Lock()
	m := x.model
	x.mu.Unlock()
	if m != nil {
		return m, nil
	}
	m, _, err := x.sync()
	return m, err
}

// open returns the model with its vectors. That of a server is there once CatchUp has
// connected to it.
func (x *Embedder) open() (*model, error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	switch {
	case x.model != nil:
		return x.model, nil
	case x.cfg.Server != Server{} && x.failed != nil:
		return nil, x.failed
	case x.cfg.Server != Server{}:
		return nil, errNotConnected(x.cfg.Server)
	case x.cfg.Encoder == nil:
		return nil, errNoEncoder()
	}
	return x.openIndex(x.cfg.Encoder, nil)
}

// openIndex opens the vectors that an encoder made. The caller holds mu.
func (x *Embedder) openIndex(e Encoder, probe []float32) (*model, error) {
	store, err := library.IndexStore(x.session.Vault)
	if err != nil {
		return nil, err
	}
	ix, err := vectors.Open(store, vectors.Options{Model: e.Name(), Dimensions: e.Dimensions(), Mean: e.Mean(), Probe: probe})
	if err != nil {
		return nil, err
	}
	x.model = &model{e, ix, probe}
	return x.model, nil
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
func (x *Embedder) step(ctx context.Context, m *model, todo []search.Unit) (int, error) {
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
	numbers, err := m.Embed(ctx, texts)
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
	return n, m.index.Put(entries...)
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
	err = x.session.View(func(tx *vault.Tx) error {
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

// Purge removes the vectors of records that the vault has no longer from the index file,
// whatever model made them.
func (x *Embedder) Purge() error {
	x.stop()
	x.batch.Lock()
	defer x.batch.Unlock()
	ix, err := x.stored()
	switch {
	case err != nil:
		return err
	case ix == nil:
		return x.reset() // nobody can tell whose vectors they are
	}
	if _, err := ix.Sync(x.session.Rows.Units()); err != nil {
		return err
	}
	return ix.Flush()
}

// reset removes all vectors from the index file.
func (x *Embedder) reset() error {
	store, err := library.IndexStore(x.session.Vault)
	if err != nil {
		return err
	}
	return vectors.Reset(store)
}

// stored returns the vectors that are there, whatever model made them; nil if none can be read.
func (x *Embedder) stored() (*vectors.Index, error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.model != nil {
		return x.model.index, nil
	}
	store, err := library.IndexStore(x.session.Vault)
	if err != nil {
		return nil, err
	}
	return vectors.OpenStored(store)
}

// Rebuild removes all vectors; CatchUp makes them anew.
func (x *Embedder) Rebuild() error {
	x.stop()
	x.working.Lock()
	defer x.working.Unlock()
	x.set(func() { x.model, x.failed = nil, nil })
	err := x.reset()
	x.Wake()
	return err
}

// State is how far the index of a vault is.
type State struct {
	Records int    // memories and conversations
	Model   string // "": this program compares no meaning
	Vectors int
	Missing int // memories and conversations without vectors
	// OnBattery says that the background leaves the missing ones until the computer is plugged in.
	OnBattery bool
	Failed    error
}

// State opens the index and compares it with the vault, if that was not done yet. It asks no
// server.
func (x *Embedder) State() (State, error) {
	records := x.session.Rows.Count()
	if !x.Compares() {
		return State{Records: records}, nil
	}
	m, err := x.opened()
	if server, _ := x.trouble(); server && m == nil {
		return x.storedState(records)
	}
	if err != nil {
		return State{}, err
	}
	onBattery := x.cfg.InBackground && x.onBattery()
	x.mu.Lock()
	defer x.mu.Unlock()
	return State{Records: records, Model: m.Name(), Vectors: m.index.Count(), Missing: x.left, OnBattery: onBattery && x.left > 0, Failed: x.failed}, nil
}

func errNoEncoder() error {
	return fault.New(fault.Unsupported, "no-model", "This Keepsake was built without its language model, so it compares words and not meaning.")
}

// IsUnavailable reports whether an error says that texts cannot be compared by meaning now: the
// program was built without its language model, it is damaged, an embedding server fails, or
// what is asked for was not measured with the model of a server.
func IsUnavailable(err error) bool {
	if err == nil {
		return false
	}
	reason := fault.From(err).Reason
	return slices.Contains([]string{"no-model", "model-damaged", "review-not-measured"}, reason) || strings.HasPrefix(reason, "embedding-server-")
}
