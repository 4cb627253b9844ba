package cli

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"keepsake/backend/core"
)

func (d *door) sensitive() *cobra.Command {
	return parent("sensitive", "Show which memories are about sensitive topics, and correct it", d.sensitiveList(), d.sensitiveMark())
}

func (d *door) sensitiveList() *cobra.Command {
	var s selection
	var topic string
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List the memories about health, family, addresses, money, beliefs, sexuality, names or numbers",
		Long: "Active memories that are about a sensitive topic, the oldest first, and how many are about each. A guess, in English,\n" +
			"Portuguese, Spanish, German and French: by words, and by what the text means. keepsake sensitive mark corrects it.",
		Args: exactly(0),
		RunE: d.onVault(func(ctx context.Context, svc *core.Service, _ []string) error {
			if err := s.checkWindow(); err != nil {
				return err
			}
			if err := svc.MakeVectors(ctx, 0); err != nil && !core.IsMeaningUnavailable(err) {
				return err
			}
			page, err := svc.SensitiveMemories(ctx, core.SensitiveQuery{Topic: core.SensitiveTopic(topic), Offset: s.offset, Limit: s.limit})
			return d.answerUnless(err, page, func() {
				for _, m := range page.Items {
					d.say("%s  %s  %s", m.ID, listed(m.Topics), oneLine(m.Content, 100))
				}
				d.say("%s", sayTopics(page.Summary))
			})
		}),
	}
	cmd.Flags().StringVar(&topic, "topic", "", "only those about one topic: "+listed(core.SensitiveTopics()))
	cmd.Flags().IntVar(&s.limit, "limit", 100, "at most so many; 0: all")
	cmd.Flags().IntVar(&s.offset, "offset", 0, "leave out so many")
	return cmd
}

func (d *door) sensitiveMark() *cobra.Command {
	return &cobra.Command{
		Use:   "mark ID TOPIC yes|no|auto",
		Short: "Say that a memory is about a topic, or is not; auto: leave it to the program again",
		Args:  exactly(3),
		RunE: func(cmd *cobra.Command, args []string) error {
			is, err := oneOf("answer", args[2], []string{"yes", "no", "auto"})
			if err != nil {
				return err
			}
			svc, err := d.unlocked(cmd.Context())
			if err != nil {
				return err
			}
			var said *bool
			if is != "auto" {
				said = new(is == "yes")
			}
			if err := svc.MarkSensitive(cmd.Context(), args[0], core.SensitiveTopic(args[1]), said); err != nil {
				return err
			}
			marks, err := svc.Sensitive(cmd.Context(), args[0])
			return d.answerUnless(err, marks, func() { d.say("%s: %s", args[0], sayMarks(marks)) })
		},
	}
}

// sayMarks names the topics of a memory.
func sayMarks(marks []core.SensitiveMark) string {
	var parts []string
	for _, m := range marks {
		switch {
		case m.Is && m.ByPerson:
			parts = append(parts, string(m.Topic)+" (you said so)")
		case m.Is:
			parts = append(parts, string(m.Topic))
		default:
			parts = append(parts, "not "+string(m.Topic)+" (you said so)")
		}
	}
	if len(parts) == 0 {
		return "about none of the sensitive topics that are looked for"
	}
	return strings.Join(parts, ", ")
}

// sayTopics says how many memories are about sensitive topics, and what was looked at.
func sayTopics(s core.SensitiveSummary) string {
	var parts []string
	for _, t := range core.SensitiveTopics() {
		if n := s.ByTopic[t]; n > 0 {
			parts = append(parts, string(t)+" "+grouped(n))
		}
	}
	out := "None was found to be about " + listed(core.SensitiveTopics()) + "."
	if s.Sensitive > 0 {
		out = count(s.Sensitive, "memory", "memories") + " about sensitive topics: " + strings.Join(parts, ", ") + "."
	}
	if s.ByWords > 0 {
		out += " " + onlyWords(s.ByWords)
	}
	return out
}

func onlyWords(memories int) string {
	return "Of " + count(memories, "memory", "memories") + " only the words were looked at so far."
}
