package chatgpt

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"path"
	"regexp"
	"slices"
	"strconv"

	"keepsake/backend/importer"
	"keepsake/backend/importer/jsonstream"
	"keepsake/backend/intake"
)

// Layouts, as they stand in Match.Format and provider.export_format_version.
const (
	formatSingle  = "single"
	formatSharded = "sharded"
	formatAssets  = "assets"
	formatSlim    = "slim"
	formatPortal  = "privacy-portal"
	formatLoose   = "loose"
)

var (
	shardName = regexp.MustCompile(`^conversations-(\d+)\.json$`)
	// givenName has what browsers and desktops put behind a name that is taken.
	givenName = regexp.MustCompile(`^(conversations(?:-\d+)?)(?: ?\(\d+\)|[ -]\d{1,2}|(?: -)? (?i:copy|kopie|copie|copia|cópia))*\.json$`)
	// portalZip are the archives inside the answer to a data request.
	portalZip = regexp.MustCompile(`(?i)^(conversations|files)_.*\.zip$|conversations.*chatgpt.*\.zip$`)
	portalTop = regexp.MustCompile(`(?i)conversations.*chatgpt.*\.zip$`)
)

// sidecars are files of an export that hold no conversations, or, as the page,
// the same ones once more.
var sidecars = []string{
	"chat.html", "user.json", "user_settings.json", "message_feedback.json", "model_comparisons.json", "shared_conversations.json",
	"group_chats.json", "shopping.json", "sora.json", "tool_messages.json", "ads.json", "export_manifest.json",
	"conversation_asset_file_names.json", "library_files.json",
}

// unreadFiles hold no conversations, and nothing is taken of them.
var unreadFiles = []string{"memory.json", "memories.json"}

// textdocs is the folder of the documents that were written beside conversations.
const textdocs = "textdocs"

// pictures is the folder of those that the assistant drew.
const pictures = "dalle-generations"

// source is a file of conversations and what is known of the export around it.
type source struct {
	located
	format  string
	account string
}

// survey is what a tree holds, found by looking at names and beginnings.
type survey struct {
	sources []source
	// unreadable counts the sources that could not be looked into.
	unreadable int
	missing    []string // shards that a manifest lists and no tree holds
	listed     bool     // a manifest lists what there is
	shards     []string // their names, as the tree has them
	nested     []located
	// accounts are the ids in user.json, in order.
	accounts []string
	// names are their mail addresses, for the person to know them by.
	names map[string]string
	empty bool // a file of conversations without any
	page  bool // the page of an export, and no JSON
	cut   []located
	// others are files that nothing here says anything of; a message may.
	others []located
}

// maxLooks is how many loose JSON files are looked into.
const maxLooks = 5000

// surveyTree finds the conversation files of one tree. Names only say where to
// look first; what a file is, its content says.
func surveyTree(ctx context.Context, tree *intake.Tree) (*survey, error) {
	s := &survey{}
	named, loose := s.sort(tree)
	slices.SortStableFunc(named, byShard)
	if err := s.look(ctx, named, isConversation); err != nil {
		return nil, err
	}
	if len(s.sources) > 0 {
		for _, at := range s.cut { // a shard that breaks off at once: the reading will say so
			s.sources = append(s.sources, source{located: at, format: formatSingle})
		}
	} else {
		s.others = append(s.others, s.cut...)
	}
	if len(named) == 0 && len(s.nested) == 0 {
		if err := s.lookBeside(ctx, loose, isConversation); err != nil {
			return nil, err
		}
		for i := range s.sources {
			s.sources[i].format = formatLoose
		}
	} else if err := s.lookFurther(ctx, loose); err != nil {
		return nil, err
	}
	if err := s.lookAtPages(ctx, tree); err != nil {
		return nil, err
	}
	return s, s.settle(ctx, tree)
}

// sort goes by names: which files are called as those of conversations are, and
// which others may hold some.
func (s *survey) sort(tree *intake.Tree) (named, loose []located) {
	for _, f := range tree.Files() {
		at := located{tree, f}
		switch base := f.Base(); {
		case isNamed(base):
			named = append(named, at)
			s.shards = append(s.shards, plainName(base))
		case portalZip.MatchString(base):
			s.nested = append(s.nested, at)
		case slices.Contains(unreadFiles, base):
			s.others = append(s.others, at)
		case isSidecar(f):
		case (importer.IsJSON(base) || len(tree.Files()) == 1) && len(loose) < maxLooks:
			loose = append(loose, at)
		case !isAsset(f):
			s.others = append(s.others, at)
		}
	}
	return named, loose
}

func isNamed(base string) bool { return givenName.MatchString(base) }

// plainName is what a file of conversations was called before a browser gave it another
// name.
func plainName(base string) string { return givenName.ReplaceAllString(base, "$1.json") }

// isSidecar tells what an export holds beside conversations and their assets.
func isSidecar(f intake.File) bool {
	return slices.Contains(sidecars, f.Base()) || path.Base(path.Dir(f.Path)) == textdocs
}

// isAsset tells by its name a file that a message may show.
func isAsset(f intake.File) bool {
	return nativeID.MatchString(f.Base()) || path.Ext(f.Path) == ".dat" || path.Base(path.Dir(f.Path)) == pictures
}

// lookFurther looks for conversations beside those that are called so, in an
// export that is ChatGPT's. What somebody sent into a chat is none of them.
func (s *survey) lookFurther(ctx context.Context, loose []located) error {
	if len(s.sources) == 0 && len(s.nested) == 0 {
		s.others = append(s.others, loose...)
		return nil
	}
	loose = slices.DeleteFunc(loose, func(at located) bool { return isAsset(at.file) })
	return s.lookBeside(ctx, loose, func(shape importer.Shape) bool { return shape.ItemHas("mapping") && isConversation(shape) })
}

// lookBeside is look of files that are called like nothing: one that breaks off
// at once may be anybody's.
func (s *survey) lookBeside(ctx context.Context, files []located, fits func(importer.Shape) bool) error {
	cut := s.cut
	s.cut = nil
	err := s.look(ctx, files, fits)
	s.others = append(s.others, s.cut...)
	s.cut = cut
	return err
}

// byShard sorts by source, then conversations.json, then shards by number.
func byShard(a, b located) int {
	number := func(at located) int {
		m := shardName.FindStringSubmatch(plainName(at.file.Base()))
		if m == nil {
			return -1
		}
		n, _ := strconv.Atoi(m[1]) // too large a number sorts last
		return n
	}
	return cmp.Or(cmp.Compare(a.file.Source, b.file.Source), cmp.Compare(number(a), number(b)))
}

// look keeps the files that begin as ChatGPT's conversations do.
func (s *survey) look(ctx context.Context, files []located, fits func(importer.Shape) bool) error {
	for _, at := range files {
		head, err := beginning(ctx, at)
		if err != nil {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			// Unreadable: the reading will say why.
			s.sources = append(s.sources, source{located: at, format: formatSingle})
			s.unreadable++
			continue
		}
		shape, err := importer.Peek(bytes.NewReader(head))
		if err != nil {
			return err
		}
		switch {
		case fits(shape):
			s.sources = append(s.sources, source{located: at, format: formatOf(head)})
		case shape.Empty() && isNamed(at.file.Base()):
			s.empty = true
		case shape.Cut:
			s.cut = append(s.cut, at)
		default:
			s.empty = s.empty || shape.Empty()
			s.others = append(s.others, at)
		}
	}
	return nil
}

// beginning reads as much of a file as a look takes.
func beginning(ctx context.Context, at located) ([]byte, error) {
	r, err := at.tree.OpenText(ctx, at.file)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	return io.ReadAll(io.LimitReader(r, importer.PeekBytes))
}

// isConversation tells ChatGPT's items from those of DeepSeek, which have a
// mapping too. A conversation without mapping may come first.
func isConversation(s importer.Shape) bool {
	if s.ItemHas("inserted_at") || s.ItemHas("chat_messages") {
		return false
	}
	dated := s.ItemHas("create_time") || s.ItemHas("current_node") || s.ItemHas("conversation_id")
	return s.ItemHas("mapping") && dated || s.ItemHas("conversation_id") && s.ItemHas("create_time")
}

// formatOf tells slim exports by what they lack: no node lists its children.
func formatOf(head []byte) string {
	if bytes.Contains(head, []byte(`"mapping"`)) && bytes.Contains(head, []byte(`"parent"`)) &&
		!bytes.Contains(head, []byte(`"children"`)) {
		return formatSlim
	}
	return formatSingle
}

// isSharded reports conversations in numbered files.
func (s *survey) isSharded() bool {
	return slices.ContainsFunc(s.sources, func(at source) bool { return shardName.MatchString(plainName(at.file.Base())) })
}

// settle reads the small files around the conversations.
func (s *survey) settle(ctx context.Context, tree *intake.Tree) error {
	sharded, dat := s.isSharded(), len(tree.Match("*.dat")) > 0
	for i := range s.sources {
		switch f := &s.sources[i].format; {
		case *f != formatSingle:
		case dat:
			*f = formatAssets
		case sharded:
			*f = formatSharded
		}
	}
	if err := s.findMissing(ctx, tree); err != nil {
		return err
	}
	return s.findAccounts(ctx, tree)
}

// findMissing compares what a manifest lists with what the tree holds.
func (s *survey) findMissing(ctx context.Context, tree *intake.Tree) error {
	manifests := tree.Match("export_manifest.json")
	if len(manifests) == 0 {
		return nil
	}
	held := map[string]bool{}
	for _, f := range tree.Files() {
		held[plainName(f.Base())] = true
	}
	for _, f := range manifests {
		listed, err := manifest(ctx, located{tree, f})
		if err != nil {
			return err
		}
		s.listed = s.listed || len(listed) > 0
		for _, name := range listed {
			base := path.Base(name)
			if !held[base] && (shardName.MatchString(base) || base == "conversations.json") && len(s.missing) < maxLooks {
				held[base] = true // named once
				s.missing = append(s.missing, base)
			}
		}
	}
	return nil
}

// gaps are the shards that must be there because a later one is, where no manifest
// says so. Where more are missing than there are, the numbers mean something else.
func gaps(names []string) []string {
	held := map[string]bool{}
	last := -1
	for _, base := range names {
		var n int
		if m := shardName.FindStringSubmatch(base); m != nil {
			n, _ = strconv.Atoi(m[1]) // too large a number is no shard's name
		}
		if base == shard(n) {
			held[base] = true
			last = max(last, n)
		}
	}
	if last+1 > 2*len(held) {
		return nil
	}
	var missing []string
	for n := range last {
		if !held[shard(n)] {
			missing = append(missing, shard(n))
		}
	}
	return missing
}

func shard(n int) string { return fmt.Sprintf("conversations-%03d.json", n) }

// manifest lists the files an export_manifest.json names. One that cannot be
// read names none: the shards speak for themselves.
func manifest(ctx context.Context, at located) ([]string, error) {
	data, err := at.tree.ReadAll(ctx, at.file, maxSidecar)
	if err != nil {
		return nil, ctx.Err()
	}
	var names []string
	for v := range jsonstream.Elements(ctx, bytes.NewReader(data), 0) {
		for _, logical := range jsonstream.Members(jsonstream.Member(v, "logical_files")) {
			for _, name := range jsonstream.Items(jsonstream.Member(logical, "files")) {
				if n := text(name); n != "" {
					names = append(names, n)
				}
			}
		}
	}
	return names, nil
}

// findAccounts reads the account's id and mail address, and nothing else, of each
// user.json.
func (s *survey) findAccounts(ctx context.Context, tree *intake.Tree) error {
	s.names = map[string]string{}
	for _, f := range tree.Match("user.json") {
		data, err := tree.ReadAll(ctx, f, maxSidecar)
		if err != nil {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			continue
		}
		for v := range jsonstream.Elements(ctx, bytes.NewReader(data), 0) {
			if id := importer.TextIn(v, "id"); id != "" && jsonstream.FirstMember(v, "chatgpt_plus_user", "email") != nil {
				if !slices.Contains(s.accounts, id) {
					s.accounts = append(s.accounts, id)
				}
				if mail := importer.Called("", importer.TextIn(v, "email")); mail != "" {
					s.names[id] = mail
				}
				for i := range s.sources {
					if s.sources[i].file.Source == f.Source {
						s.sources[i].account = id
					}
				}
			}
		}
	}
	return nil
}

// format is the layout of the whole.
func (s *survey) format() string {
	for _, at := range s.nested {
		if portalTop.MatchString(at.file.Base()) {
			return formatPortal
		}
	}
	if len(s.sources) > 0 {
		return s.sources[0].format
	}
	return ""
}
