package cli

import (
	"cmp"
	"context"

	"github.com/spf13/cobra"

	"keepsake/backend/core"
)

func (d *door) types() *cobra.Command {
	return parent("types", "Look up and describe types of memories", d.typesList(), d.typesDescribe(), d.typesForget())
}

func (d *door) typesList() *cobra.Command {
	return &cobra.Command{
		Use:   "list",
		Short: "List the types of Portable AI Memory, of its registry and of your own",
		Args:  exactly(0),
		RunE: d.onVault(func(ctx context.Context, svc *core.Service, _ []string) error {
			all, err := svc.Types(ctx)
			return d.answerUnless(err, listOf(all, len(all)), func() {
				for _, t := range all {
					d.say("%-20s %-12s %6d  %s", cmp.Or(t.CustomType, string(t.Type)), t.Status, t.Memories, oneLine(t.Description, 90))
				}
			})
		}),
	}
}

func (d *door) typesDescribe() *cobra.Command {
	return &cobra.Command{
		Use:   "describe NAME TEXT",
		Short: "Say what a type of your own means",
		Args:  exactly(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			return d.changeType(cmd.Context(), args[0], func(svc *core.Service) error { return svc.DescribeType(cmd.Context(), args[0], args[1]) })
		},
	}
}

func (d *door) typesForget() *cobra.Command {
	return &cobra.Command{
		Use:   "forget NAME",
		Short: "Take the description of a type away; memories keep the type",
		Args:  exactly(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return d.changeType(cmd.Context(), args[0], func(svc *core.Service) error { return svc.ForgetType(cmd.Context(), args[0]) })
		},
	}
}

// changeType changes what is said of a type.
func (d *door) changeType(ctx context.Context, name string, change func(*core.Service) error) error {
	svc, err := d.unlocked(ctx)
	if err != nil {
		return err
	}
	err = change(svc)
	return d.answerUnless(err, map[string]string{"type": name}, func() { d.say("Done.") })
}
