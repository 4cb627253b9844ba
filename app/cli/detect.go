package cli

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"keepsake/backend/core"
	"keepsake/backend/fault"
)

func (d *door) detect() *cobra.Command {
	var file fileIn
	cmd := &cobra.Command{
		Use:   "detect PATH…",
		Short: "Say what a file is",
		Args:  atLeastOne,
		RunE: d.onService(func(ctx context.Context, svc *core.Service, args []string) error {
			in, err := file.inputs(d, args)
			if err != nil {
				return err
			}
			plan, err := svc.Detect(ctx, in)
			if err != nil {
				return reading(err)
			}
			return d.answerPlan(plan)
		}),
	}
	file.register(cmd.Flags())
	cmd.Flags().StringVar(&file.account, "account", "", "as import takes it")
	return cmd
}

// planView is a plan with its faults in words.
type planView struct {
	Sources []planSourceView `json:"sources"`
}

// planSourceView leaves out the counts: nothing is read to detect a file.
type planSourceView struct {
	core.PlanSource
	New       *int       `json:"new,omitempty"`
	Updated   *int       `json:"updated,omitempty"`
	Unchanged *int       `json:"unchanged,omitempty"`
	Memories  *int       `json:"memories,omitempty"`
	Error     *faultView `json:"error,omitempty"`
}

type faultView struct {
	Code    fault.Code `json:"code"`
	Message string     `json:"message"`
	Hint    string     `json:"hint"`
}

// answerPlan prints a plan; nothing in it that can be read is an error.
func (d *door) answerPlan(plan core.ImportPlan) error {
	view := planView{Sources: []planSourceView{}}
	var unread *fault.Error
	for _, s := range plan.Sources {
		row := planSourceView{PlanSource: s}
		if s.Fault != nil {
			row.Error = &faultView{s.Fault.Code, s.Fault.Message(), s.Fault.Advice()}
			unread = s.Fault
		}
		view.Sources = append(view.Sources, row)
	}
	if unread != nil && len(plan.Sources) == 1 {
		return reading(unread)
	}
	return d.answer(view, func() { d.sayPlan(plan) })
}

func (d *door) sayPlan(plan core.ImportPlan) {
	for _, s := range plan.Sources {
		names := strings.Join(s.Names, ", ")
		if s.Fault != nil {
			d.say("%s: %s", names, s.Fault.Message())
			continue
		}
		d.say("%s: %s export (%s), %s", names, s.ProviderName, s.Format, count(s.Files, "file", "files"))
		for _, id := range s.Accounts {
			d.say("  account: %s", calledAccount(id, s.AccountNames))
		}
		if s.TakesAccount && s.Account == "" {
			d.say("  account: not named; import takes --account NAME")
		} else if s.TakesAccount {
			d.say("  account: %s", s.Account)
		}
		for _, m := range s.Missing {
			d.say("  missing: %s", m)
		}
		for _, p := range s.Problems {
			d.say("  note: %s", p.Message)
		}
	}
}

// calledAccount is an account by its id and, where the export says so, its name.
func calledAccount(id string, names map[string]string) string {
	if name := names[id]; name != "" {
		return oneLine(name, 120) + " (" + oneLine(id, 80) + ")"
	}
	return oneLine(id, 80)
}
