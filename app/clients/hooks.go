package clients

import (
	"bytes"
	"cmp"
	"errors"
	"maps"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"github.com/tailscale/hujson"

	"keepsake/backend/fault"
)

// hooksTable is the member of settings that says what is started at which event.
const hooksTable = "hooks"

// hookEvents are those at which Claude Code starts keepsake hook.
func hookEvents() []string { return []string{"PreCompact", "SessionEnd", "SessionStart"} }

// HooksFile is where a client keeps what it starts at the turns of a session; "" of one whose hooks
// Keepsake does not write.
func (c Client) HooksFile(p Places) string {
	if c.ID != "claude-code" {
		return ""
	}
	return filepath.Join(cmp.Or(p.Getenv("CLAUDE_CONFIG_DIR"), filepath.Join(p.Home, ".claude")), "settings.json")
}

// HookCommand returns the shell command that a client runs at the events of a session. vaultDir "" is the
// vault that was shown last.
func (c Client) HookCommand(program, vaultDir string) (string, error) {
	command := shellWord(filepath.ToSlash(program)) + " hook " + c.ID
	if vaultDir == "" {
		return command, nil
	}
	dir, err := filepath.Abs(vaultDir)
	return command + " --vault " + shellWord(filepath.ToSlash(dir)), err
}

// shellWord writes a text as one word of a shell.
func shellWord(text string) string {
	if regexp.MustCompile(`^[A-Za-z0-9_/.:+-]+$`).MatchString(text) {
		return text
	}
	return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
}

// hookWords are the program of a command that starts keepsake hook as HookCommand writes it.
var hookWords = regexp.MustCompile(`^((?:[^\s'\\]|'[^']*'|\\')+) hook [a-z-]+(?: |$)`)

// isOurHook knows a command that starts keepsake hook, wherever that was when it was written.
func isOurHook(command string) bool {
	words := hookWords.FindStringSubmatch(command)
	return words != nil && isOurProgram(strings.TrimSuffix(words[1], "'"))
}

// HooksSnippet is a file with nothing in it but the hooks.
func (c Client) HooksSnippet(command string) string {
	events := object{}
	for _, event := range hookEvents() {
		events = append(events, member{event, list{hookGroup(command)}})
	}
	return object{member{hooksTable, events}}.text("", "  ", "\n") + "\n"
}

// hookGroup is what settings say of an event, for all that it may match.
func hookGroup(command string) object {
	return object{member{hooksTable, list{object{member{"type", quoted("command")}, member{"command", quoted(command)}}}}}
}

// ConnectHooks plans to write the hooks of Keepsake into a file. Of those that are there the command
// is written, and the rest survives.
func (c Client) ConnectHooks(path, command string) (Plan, error) { return c.planHooks(path, command) }

// HasHooks reports whether the client starts Keepsake at the turns of a session.
func (c Client) HasHooks(p Places) bool {
	plans, err := c.DisconnectAllHooks(p)
	return err == nil && len(plans) > 0 && plans[0].Connected
}

// DisconnectAllHooks plans to take the hooks out of where the client keeps them; of one whose hooks
// Keepsake does not write there is nothing to take out.
func (c Client) DisconnectAllHooks(p Places) ([]Plan, error) {
	path := c.HooksFile(p)
	if path == "" {
		return nil, nil
	}
	plan, err := c.DisconnectHooks(path)
	return []Plan{plan}, err
}

// DisconnectAll plans to take Keepsake out of every file of the client: its entry, then its hooks.
func (c Client) DisconnectAll(p Places) ([]Plan, error) {
	entry, err := c.Disconnect(c.File(p))
	if err != nil {
		return nil, err
	}
	hooks, err := c.DisconnectAllHooks(p)
	return append([]Plan{entry}, hooks...), err
}

// DisconnectHooks plans to take the hooks of Keepsake out of a file.
func (c Client) DisconnectHooks(path string) (Plan, error) { return c.planHooks(path, "") }

func (c Client) planHooks(path, command string) (Plan, error) {
	f, err := readFile(path)
	if err != nil {
		return Plan{}, err
	}
	p := Plan{Client: c, Path: f.path, Before: f.text, Exists: f.exists, original: f}
	p.After, p.Connected, err = hooksEdited(f.text, command)
	if errors.Is(err, errForm) {
		err = fault.New(fault.Unsupported, "client-hooks-form", "{name} has its hooks in a form that Keepsake does not edit.").
			With("name", filepath.Base(f.path)).Advise("Put them in by hand: keepsake agents connect {id} --hooks --snippet prints them.").With("id", c.ID)
	}
	if err != nil {
		return Plan{}, c.inWords(err, f.path)
	}
	if len(p.After) > mostBytes {
		return Plan{}, errTooLarge(f.path)
	}
	return p, nil
}

// hooksEdited is a text with the command as hook of each event, or without hooks of ours where it is
// "". Read once more, it has to hold what it held, and the hooks as wanted.
func hooksEdited(before []byte, command string) (after []byte, connected bool, err error) {
	text, marked := bytes.CutPrefix(before, []byte(byteOrderMark))
	doc, err := jsonSyntax{}.decode(text)
	if err != nil {
		return nil, false, err
	}
	ours := hooksIn(doc)
	after = text
	events := hookEvents()
	if command == "" {
		slices.Reverse(events) // by the first that was added is told what was made for it
	}
	for _, event := range events {
		if after, err = hookEdited(after, event, command); err != nil {
			return nil, false, err
		}
	}
	if bytes.Equal(after, text) {
		return before, len(ours) > 0, nil
	}
	again, err := jsonSyntax{}.decode(after)
	if err != nil || !reflect.DeepEqual(withoutHooks(again), withoutHooks(doc)) || !areAsWanted(hooksIn(again), command) {
		return nil, false, errForm
	}
	if marked {
		after = append([]byte(byteOrderMark), after...)
	}
	return after, len(ours) > 0, nil
}

func areAsWanted(ours map[string][]string, command string) bool {
	if command == "" {
		return len(ours) == 0
	}
	for _, event := range hookEvents() {
		if len(ours[event]) == 0 || slices.ContainsFunc(ours[event], func(c string) bool { return c != command }) {
			return false
		}
	}
	return true
}

// hookEdited is a text with the command as hook of an event, or without ours where it is "".
func hookEdited(text []byte, event, command string) ([]byte, error) {
	if len(bytes.TrimSpace(text)) == 0 {
		if command == "" {
			return text, nil
		}
		return []byte(object{member{hooksTable, object{member{event, list{hookGroup(command)}}}}}.text("", "  ", "\n") + "\n"), nil
	}
	at, err := findHooks(text, event)
	if err != nil {
		return nil, err
	}
	switch {
	case command == "" && len(at.ours) == 0:
		return text, nil
	case command == "":
		return hookEdited(apply(text, at.remove(at.ours[0])), event, command)
	case len(at.ours) == 0:
		return apply(text, at.add(event, hookGroup(command))), nil
	}
	var edits []edit
	for _, h := range at.ours {
		if hujson.Literal(text[h.command.StartOffset:h.command.EndOffset]).String() != command {
			edits = append(edits, edit{h.command.StartOffset, h.command.EndOffset, quoted(command).text("", "", "")})
		}
	}
	return apply(text, edits), nil
}

// hookPlace is where a file has the hooks of an event.
type hookPlace struct {
	document
	path  []hujson.Value // the file, its table of hooks, and the groups of the event, as far as they are there
	which []int          // the place of each in the one before it
	ours  []hookAt
}

// hookAt is a hook of ours: the place of its group among those of the event, the hooks of that group,
// its place in those, and its command.
type hookAt struct {
	group   int
	hooks   hujson.Value
	hook    int
	command hujson.Value
}

func findHooks(text []byte, event string) (hookPlace, error) {
	root, err := jsonSyntax{}.parse(text)
	if err != nil {
		return hookPlace{}, err
	}
	at := hookPlace{document: document{text: text, root: root}, path: []hujson.Value{root}}
	for _, name := range []string{hooksTable, event} {
		o, ok := at.path[len(at.path)-1].Value.(*hujson.Object)
		if !ok {
			return at, errForm
		}
		i, err := index(o, name)
		if err != nil || i < 0 {
			return at, err
		}
		at.path, at.which = append(at.path, o.Members[i].Value), append(at.which, i)
	}
	groups, ok := at.path[2].Value.(*hujson.Array)
	if !ok {
		return at, errForm
	}
	for i, group := range groups.Elements {
		o, ok := group.Value.(*hujson.Object)
		if !ok {
			return at, errForm
		}
		if err := at.look(i, o); err != nil {
			return at, err
		}
	}
	return at, nil
}

// look finds hooks of ours in the group of a number.
func (at *hookPlace) look(i int, o *hujson.Object) error {
	in, err := index(o, hooksTable)
	if err != nil || in < 0 {
		return err
	}
	all := o.Members[in].Value
	hooks, ok := all.Value.(*hujson.Array)
	if !ok {
		return errForm
	}
	for j, hook := range hooks.Elements {
		o, ok := hook.Value.(*hujson.Object)
		if !ok {
			return errForm
		}
		c, err := index(o, "command")
		if err != nil {
			return err
		}
		if c < 0 {
			continue
		}
		if l, ok := o.Members[c].Value.Value.(hujson.Literal); ok && l.Kind() == '"' && isOurHook(l.String()) {
			at.ours = append(at.ours, hookAt{i, all, j, o.Members[c].Value})
		}
	}
	return nil
}

// add writes a group of an event.
func (at hookPlace) add(event string, group object) []edit {
	switch len(at.path) {
	case 1:
		return at.insert(at.root, member{hooksTable, object{member{event, list{group}}}})
	case 2:
		return at.insert(at.path[1], member{event, list{group}})
	}
	return at.insert(at.path[2], group)
}

// remove takes a hook out, with the group that has no other, and with the lists around it that were
// made for it.
func (at hookPlace) remove(h hookAt) []edit {
	if hooks, _ := itemsOf(h.hooks); len(hooks) > 1 {
		return at.cut(h.hooks, h.hook)
	}
	path, which := at.path, append(slices.Clone(at.which), h.group)
	for len(path) > 1 && at.isMadeFor(path[len(path)-1]) {
		path = path[:len(path)-1]
	}
	return at.cut(path[len(path)-1], which[len(path)-1])
}

// hooksIn are the commands of ours in a decoded file, by their event.
func hooksIn(doc map[string]any) map[string][]string {
	ours := map[string][]string{}
	eachHook(doc, func(event, command string) bool {
		if isOurHook(command) {
			ours[event] = append(ours[event], command)
		}
		return true
	})
	return ours
}

// withoutHooks is a decoded file without hooks of ours, and without lists that hold nothing.
func withoutHooks(doc map[string]any) map[string]any {
	doc = maps.Clone(doc)
	if events := eachHook(doc, func(_, command string) bool { return !isOurHook(command) }); len(events) > 0 {
		doc[hooksTable] = events
	} else if _, isTable := doc[hooksTable].(map[string]any); isTable {
		delete(doc, hooksTable)
	}
	return doc
}

// eachHook tells of the commands of the events at which ours stand, and returns the table of hooks with
// those that are kept.
func eachHook(doc map[string]any, keep func(event, command string) bool) map[string]any {
	events, _ := doc[hooksTable].(map[string]any)
	events = maps.Clone(events)
	for _, event := range hookEvents() {
		groups, isList := events[event].([]any)
		if !isList {
			continue
		}
		var kept []any
		for _, g := range groups {
			group, _ := g.(map[string]any)
			hooks, _ := group[hooksTable].([]any)
			left := slices.DeleteFunc(slices.Clone(hooks), func(h any) bool {
				hook, _ := h.(map[string]any)
				command, isText := hook["command"].(string)
				return isText && !keep(event, command)
			})
			if len(left) < len(hooks) {
				group = maps.Clone(group)
				group[hooksTable] = left
				g = group
			}
			if len(left) > 0 || len(hooks) == 0 {
				kept = append(kept, g)
			}
		}
		if events[event] = kept; len(kept) == 0 {
			delete(events, event)
		}
	}
	return events
}
