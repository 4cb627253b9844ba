package pam_test

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"keepsake/backend/schema"
)

// fieldTables are the field tables of the specification, written down a second
// time and read by nothing but this test. A table is an object; "open" lets it
// have other members. A field is its name, "!" where it is required, and what
// its value must be: any of the kinds named, within the limits named.
const fieldTables = `
portable-ai-memory                                    §3, §16, §19
  schema!               const=portable-ai-memory
  schema_version!       string form=version
  spec_uri              string null
  export_id             string null
  exported_by           string null form=system
  export_date           string
  owner!                Owner
  memories!             list=Memory
  relations             list=Relation
  conversations_index   list=IndexEntry
  integrity             Integrity
  export_type           const=full,incremental
  base_export_id        string null
  since                 string null
  type_registry         string null
  signature             Signature null
  when signature        export_id export_date         §18.3
Owner                                                 §17
  id!                   string filled
  did                   string null form=did
  created_at            string
Memory                                                §4
  id!                   string filled
  type!                 const=fact,preference,skill,context,relationship,goal,instruction,identity,environment,project,custom
  custom_type           custom
  content!              string filled
  content_hash!         string form=digest
  temporal!             Temporal
  provenance!           Provenance
  status                const=active,superseded,deprecated,retracted,archived
  summary               string null
  tags                  list=tag unique
  confidence            Confidence
  access                Access
  embedding_ref         string null
  metadata              Metadata
tag                     string filled form=tag
Temporal
  created_at!           string
  updated_at            string null
  valid_from            string null
  valid_until           string null
  superseded_by         string null
Provenance                                            §11
  platform!             string form=platform
  platform_user_id      string null
  conversation_ref      string null
  message_ref           string null
  extraction_method     const=llm_inference,explicit_user_input,api_export,browser_extraction,manual,null
  extracted_at          string null
  extractor             string null form=system
Confidence                                            §8
  initial               number from=0 to=1
  current               number from=0 to=1
  decay_model           const=time_linear,time_exponential,none,null
  last_reinforced       string null
Access                                                §9
  visibility            const=private,shared,public
  exportable            boolean
  shared_with           list=Grant
Grant
  entity!               string filled
  permissions!          list=permission unique filled
permission              const=read,write,delete
Metadata open                                         §10
  language              string null form=language
  domain                string null
Relation                                              §13
  id!                   string filled
  from!                 string filled
  to!                   string filled
  type!                 const=supports,contradicts,extends,supersedes,related_to,derived_from
  confidence            number null from=0 to=1
  created_at!           string
IndexEntry                                            §14
  id!                   string filled
  platform!             string form=platform
  temporal!             Times
  title                 string null
  message_count         integer null from=0
  tags                  list=tag
  derived_memories      list=name
  storage               Storage
name                    string filled
Times
  created_at!           string
  updated_at            string null
Storage                                               §14.2
  type!                 const=file,database,object_storage,vector_db,uri
  ref!                  string filled
  format                string null
Integrity                                             §15.3
  canonicalization      const=RFC8785
  checksum!             string form=digest
  total_memories!       integer from=0
Signature                                             §18.1
  algorithm!            const=Ed25519,ES256,ES384,RS256,RS384,RS512
  public_key!           string filled
  value!                string filled
  signed_at!            string
  key_id                string null

portable-ai-memory-conversation                       §25
  schema!               const=portable-ai-memory-conversation
  schema_version!       string form=version
  id!                   string filled
  provider!             Provider
  title                 string null
  participants          list=Participant
  model                 string null
  system_instruction    string null
  is_archived           boolean
  tags                  list=tag
  temporal!             Times
  messages!             list=Message
  raw_metadata          object
  import_metadata       ImportMetadata
Provider
  name!                 string form=platform
  conversation_id       string null
  account_id            string null
  export_format_version string null
Participant
  role!                 const=user,assistant,system,tool
  name                  string null
  provider_id           string null
Message
  id!                   string filled
  role!                 const=user,assistant,system,tool
  created_at!           string
  provider_message_id   string null
  content               Content
  parent_id             string null
  children_ids          list=name
  model                 string null
  is_thought            boolean
  token_count           integer null from=0
  attachments           list=Attachment
  citations             list=Citation
  tool_calls            list=ToolCall
  raw_metadata          object
Content
  type!                 const=text,multipart
  text                  string null
  parts                 list=Part
Part
  type!                 const=text,image,code,file,audio,video
  text                  string null
  language              string null
  mime_type             string null
  ref                   string null
Attachment
  type!                 const=file,image,audio,video,document
  name                  string null
  mime_type             string null
  size_bytes            integer null from=0
  ref                   string null
  provider_id           string null
Citation
  title                 string null
  url                   string null
  snippet               string null
ToolCall
  name!                 string filled
  id                    string null
  input                 object string null
  output                string null
ImportMetadata
  importer              string null form=system
  importer_version      string null
  imported_at           string null
  source_file           string null
  source_checksum       string null form=digest

portable-ai-memory-embeddings                         §12.2
  schema!               const=portable-ai-memory-embeddings
  schema_version!       string form=version
  embeddings!           list=Embedding
Embedding                                             §12.3
  id!                   string filled
  memory_id!            string filled
  model!                string filled
  dimensions!           integer from=1
  created_at!           string
  vector                list=number null
  storage               EmbeddingStorage null
number                  number
EmbeddingStorage
  type!                 const=file,database,object_storage,vector_db,uri
  ref!                  string filled
`

// forms are the patterns of the specification.
var forms = map[string]*regexp.Regexp{
	"version":  regexp.MustCompile(`\A[0-9]+\.[0-9]+(-(rc|alpha|beta)[0-9]*)?\z`),
	"system":   regexp.MustCompile(`\A[a-zA-Z0-9_-]+/[0-9]+\.[0-9]+\.[0-9]+\z`),
	"did":      regexp.MustCompile(`\Adid:[a-z0-9]+:[^\n]+\z`), // a dot is no line break
	"tag":      regexp.MustCompile(`\A[a-z0-9][a-z0-9_-]*\z`),
	"platform": regexp.MustCompile(`\A[a-z0-9_-]{2,32}\z`),
	"digest":   regexp.MustCompile(`\Asha256:[a-f0-9]{64}\z`),
	"language": regexp.MustCompile(`\A[a-z]{2,3}(-[A-Z][a-z]{3})?(-[A-Z]{2})?\z`),
}

// fields are the lines of a table; a table of one line has no name for it.
type fields struct {
	open   bool
	order  []string
	values map[string][]string // the words of each
	must   map[string]bool
	when   []string // a member that is an object, then those it asks for
	alone  []string // the words of a table that is no object
}

func readTables(t testing.TB) map[string]*fields {
	t.Helper()
	all := map[string]*fields{}
	var table *fields
	for line := range strings.Lines(fieldTables) {
		line, _, _ = strings.Cut(line, "§")
		words := strings.Fields(line)
		switch {
		case len(words) == 0:
		case !strings.HasPrefix(line, " "):
			table = &fields{values: map[string][]string{}, must: map[string]bool{}}
			all[words[0]] = table
			if table.open = slices.Contains(words[1:], "open"); !table.open && len(words) > 1 {
				table.alone = words[1:]
			}
		case words[0] == "when":
			table.when = words[1:]
		default:
			name, must := strings.CutSuffix(words[0], "!")
			table.order = append(table.order, name)
			table.values[name], table.must[name] = words[1:], must
		}
	}
	return all
}

// breach is a rule of the tables that a document breaks, and where.
type breach struct{ at, why string }

// judge is the second implementation of the schemas.
type judge map[string]*fields

func (j judge) reasons(kind schema.Kind, v any) []breach { return j.object(string(kind), "", v) }

func (j judge) object(name, at string, v any) (found []breach) {
	table := j[name]
	if table.alone != nil {
		return j.value(table.alone, at, v)
	}
	members, ok := v.(map[string]any)
	if !ok {
		return []breach{{at, "not an object"}}
	}
	for _, field := range table.order {
		value, there := members[field]
		switch {
		case there && table.values[field][0] == "custom":
			found = append(found, customType(members["type"], at+"/"+field, value)...)
		case there:
			found = append(found, j.value(table.values[field], at+"/"+field, value)...)
		case table.must[field], table.values[field][0] == "custom" && members["type"] == "custom":
			found = append(found, breach{at, "required: " + field})
		}
	}
	for member := range members {
		if _, ok := table.values[member]; !ok && !table.open {
			found = append(found, breach{at, "closed"})
		}
	}
	if len(table.when) > 0 {
		found = append(found, table.conditional(at, members)...)
	}
	return found
}

// conditional asks for members, as text, where another is an object.
func (f *fields) conditional(at string, members map[string]any) (found []breach) {
	if _, ok := members[f.when[0]].(map[string]any); !ok {
		return nil
	}
	for _, name := range f.when[1:] {
		value, there := members[name]
		if _, ok := value.(string); there && !ok {
			found = append(found, breach{at + "/" + name, "not text under a " + f.when[0]})
		}
		if !there {
			found = append(found, breach{at, "required under a " + f.when[0] + ": " + name})
		}
	}
	return found
}

// customType is the rule of §5.1.
func customType(kind any, at string, v any) []breach {
	text, isText := v.(string)
	switch {
	case kind == "custom" && isText && text != "", kind != "custom" && v == nil:
		return nil
	case kind == "custom":
		return []breach{{at, "custom without a custom type"}}
	}
	return []breach{{at, "a custom type without custom"}}
}

// value holds a value to the words of a field.
func (j judge) value(words []string, at string, v any) (found []breach) {
	limits := map[string]string{}
	kinds := []string{}
	for _, w := range words {
		if name, value, ok := strings.Cut(w, "="); ok {
			limits[name] = value
		} else if w == "filled" || w == "unique" {
			limits[w] = w
		} else {
			kinds = append(kinds, w)
		}
	}
	if allowed, ok := limits["const"]; ok {
		return oneOf(strings.Split(allowed, ","), at, v)
	}
	if v == nil && slices.Contains(kinds, "null") {
		return nil
	}
	if item, ok := limits["list"]; ok {
		return j.list(item, limits, at, v)
	}
	for _, kind := range kinds {
		if kind == "null" {
			continue
		}
		if table, ok := j[kind]; ok && table.alone == nil {
			return j.object(kind, at, v)
		}
		if isKind(kind, v) {
			return within(limits, at, v)
		}
	}
	return []breach{{at, "kind"}}
}

func oneOf(allowed []string, at string, v any) []breach {
	text, ok := v.(string)
	if ok && text != "null" && slices.Contains(allowed, text) || v == nil && slices.Contains(allowed, "null") {
		return nil
	}
	return []breach{{at, "word"}}
}

func (j judge) list(item string, limits map[string]string, at string, v any) (found []breach) {
	items, ok := v.([]any)
	if !ok {
		return []breach{{at, "not an array"}}
	}
	if limits["filled"] != "" && len(items) == 0 {
		found = append(found, breach{at, "empty"})
	}
	seen := map[string]bool{}
	for i, one := range items {
		found = append(found, j.object(item, at+"/"+strconv.Itoa(i), one)...)
		if key := sameness(one); limits["unique"] != "" && seen[key] {
			found = append(found, breach{at, "twice"})
		} else {
			seen[key] = true
		}
	}
	return found
}

// sameness is equal for equal JSON values.
func sameness(v any) string {
	switch node := v.(type) {
	case map[string]any:
		out := "{"
		for _, name := range sortedNames(node) {
			out += strconv.Quote(name) + sameness(node[name])
		}
		return out
	case []any:
		out := "["
		for _, one := range node {
			out += sameness(one) + ","
		}
		return out
	}
	return fmt.Sprintf("%T %v", v, v)
}

func isKind(kind string, v any) (ok bool) {
	switch kind {
	case "string":
		_, ok = v.(string)
	case "boolean":
		_, ok = v.(bool)
	case "object":
		_, ok = v.(map[string]any)
	case "number":
		_, ok = v.(float64)
	case "integer":
		n, isNumber := v.(float64)
		ok = isNumber && n == math.Trunc(n)
	}
	return ok
}

func number(limit string) float64 {
	f, err := strconv.ParseFloat(limit, 64)
	if err != nil {
		panic("the tables have " + limit + " for a number")
	}
	return f
}

func within(limits map[string]string, at string, v any) (found []breach) {
	switch value := v.(type) {
	case string:
		if limits["filled"] != "" && utf8.RuneCountInString(value) < 1 {
			found = append(found, breach{at, "empty"})
		}
		if form := forms[limits["form"]]; form != nil && !form.MatchString(value) {
			found = append(found, breach{at, "form"})
		}
	case float64:
		if least, ok := limits["from"]; ok && value < number(least) {
			found = append(found, breach{at, "range"})
		}
		if most, ok := limits["to"]; ok && value > number(most) {
			found = append(found, breach{at, "range"})
		}
	}
	return found
}
