package cli

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"keepsake/backend/core"
	"keepsake/backend/memory"
)

func (d *door) retrieve() *cobra.Command {
	var s selection
	var q core.Retrieval
	cmd := &cobra.Command{
		Use:   "retrieve QUESTION…",
		Short: "Find the memories that answer a question, by their meaning",
		Long: "Retrieve of the Personal Memory Specification: active memories that are similar in meaning to the question, in\n" +
			"any of sixteen languages, most similar first. 0.7 is what most memories that answer a question have at least;\n" +
			"many that do not have it too, so read what is found. What is retrieved counts as read.",
		Args: atLeastOne,
		RunE: func(cmd *cobra.Command, args []string) error {
			var err error
			if q.Since, q.Until, err = s.span(); err != nil {
				return err
			}
			if q.Categories, err = eachOneOf("category", s.category, core.Categories()); err != nil {
				return err
			}
			svc, err := d.unlocked(cmd.Context())
			if err != nil {
				return err
			}
			q.Text = strings.Join(args, " ")
			return d.retrieved(cmd.Context(), svc, q)
		},
	}
	flags := cmd.Flags()
	flags.StringSliceVar(&s.category, "category", nil, categoryWords)
	flags.StringVar(&s.since, "since", "", "created on or after this day (2026-11-21) or time")
	flags.StringVar(&s.until, "until", "", "created until the end of this day, or before this time")
	flags.IntVar(&q.MaxResults, "max-results", 10, "at most so many, up to 200")
	flags.Float64Var(&q.MinSimilarity, "min-similarity", 0.7, "leave out what is less similar, from 0 to 1")
	return cmd
}

// retrievedView is the JSON of RetrieveMemoryResponse.
type retrievedView struct {
	Memories []similarView `json:"memories"`
	Searched int           `json:"total_searched"`
	Millis   int64         `json:"query_time_ms"`
	Missing  int           `json:"missing,omitempty"` // records that are not compared yet
}

type similarView struct {
	ID          string        `json:"memory_id"`
	Category    core.Category `json:"category"`
	ContentType string        `json:"content_type"`
	Content     string        `json:"content"`
	Similarity  float64       `json:"similarity_score"`
	Tags        []string      `json:"topic_tags"`
	CreatedAt   memory.Time   `json:"created_at"`
}

func (d *door) retrieved(ctx context.Context, svc *core.Service, q core.Retrieval) error {
	if err := svc.MakeVectors(ctx, fewVectors); err != nil {
		return err
	}
	found, err := svc.Retrieve(ctx, q)
	if err != nil {
		return err
	}
	err = d.answer(viewRetrieved(found), func() {
		d.sayMemories(found.Memories)
		d.say("%s", outOf(len(found.Memories), found.Searched, "memory", "memories"))
		d.noteMissing(found.Missing)
	})
	return orNotSo(err, len(found.Memories) > 0)
}

func (d *door) similar() *cobra.Command {
	var limit int
	var least float64
	cmd := &cobra.Command{
		Use:   "similar ID",
		Short: "List the memories that are closest in meaning to a memory or a conversation",
		Args:  exactly(1),
		RunE: d.onVault(func(ctx context.Context, svc *core.Service, args []string) error {
			if err := svc.MakeVectors(ctx, fewVectors); err != nil {
				return err
			}
			found, err := svc.Similar(ctx, args[0], core.Retrieval{MaxResults: limit, MinSimilarity: least})
			if err != nil {
				return err
			}
			err = d.answer(viewRetrieved(found), func() {
				d.sayMemories(found.Memories)
				d.noteMissing(found.Missing)
			})
			return orNotSo(err, len(found.Memories) > 0)
		}),
	}
	cmd.Flags().IntVar(&limit, "limit", 10, "at most so many, up to 200")
	cmd.Flags().Float64Var(&least, "min-similarity", 0, "leave out what is less similar, from 0 to 1")
	return cmd
}

// fewVectors is for how many records a command makes vectors before it answers, which takes a
// second or two; index update makes all.
const fewVectors = 512

func viewRetrieved(found core.Retrieved) retrievedView {
	view := retrievedView{Memories: []similarView{}, Searched: found.Searched, Millis: found.Elapsed.Milliseconds(), Missing: found.Missing}
	for _, m := range found.Memories {
		view.Memories = append(view.Memories, similarView{m.ID, m.Category, string(m.ContentType), m.Content, m.Similarity, append([]string{}, m.Tags...), m.Temporal.CreatedAt})
	}
	return view
}

func (d *door) sayMemories(all []core.RetrievedMemory) {
	for _, m := range all {
		d.say("%s  %.2f  %s", m.ID, m.Similarity, oneLine(m.Content, 200))
	}
}

func (d *door) noteMissing(n int) {
	if n > 0 {
		d.note("%s by meaning yet: keepsake index update.", count(n, "record is not compared", "records are not compared"))
	}
}

func (d *door) index() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "index",
		Short: "Say how far the search index is",
		Args:  onlyCommands,
		RunE: d.onVault(func(ctx context.Context, svc *core.Service, _ []string) error {
			if err := svc.WaitForIndex(ctx); err != nil {
				return err
			}
			return d.sayIndex(ctx, svc, false)
		}),
	}
	cmd.AddCommand(&cobra.Command{
		Use:   "update",
		Short: "Make what the search index lacks",
		Args:  exactly(0),
		RunE: d.onVault(func(ctx context.Context, svc *core.Service, _ []string) error {
			return d.makeIndex(ctx, svc, false)
		}),
	}, &cobra.Command{
		Use:   "rebuild",
		Short: "Make the search index again from the vault",
		Args:  exactly(0),
		RunE: d.onVault(func(ctx context.Context, svc *core.Service, _ []string) error {
			if err := svc.RebuildIndex(ctx); err != nil {
				return err
			}
			return d.makeIndex(ctx, svc, true)
		}),
	})
	return cmd
}

// indexView is the JSON of an index.
type indexView struct {
	Rebuilt bool   `json:"rebuilt,omitempty"` // it was made anew
	Records int    `json:"records"`           // memories and conversations
	Model   string `json:"model,omitempty"`   // none: this program compares no meaning
	Vectors int    `json:"vectors"`           // of memories and of parts of conversations
	Missing int    `json:"missing,omitempty"` // records that have no vectors yet
}

func (d *door) makeIndex(ctx context.Context, svc *core.Service, rebuilt bool) error {
	if err := svc.WaitForIndex(ctx); err != nil {
		return err
	}
	if err := svc.MakeVectors(ctx, 0); err != nil {
		return err
	}
	return d.sayIndex(ctx, svc, rebuilt)
}

func (d *door) sayIndex(ctx context.Context, svc *core.Service, rebuilt bool) error {
	state, err := svc.IndexState(ctx)
	view := indexView{rebuilt, state.Records, state.Model, state.Vectors, state.Missing}
	return d.answerUnless(err, view, func() {
		d.say("%s are indexed by their words.", count(view.Records, "memory or conversation", "memories and conversations"))
		if view.Model == "" {
			d.say("This Keepsake was built without its language model, so it compares no meaning.")
			return
		}
		d.say("%s by meaning (%s).", count(view.Vectors, "text is indexed", "texts are indexed"), view.Model)
		d.noteMissing(view.Missing)
	})
}
