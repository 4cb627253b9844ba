package copilot_test

import (
	"bytes"
	"encoding/binary"
	"encoding/csv"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/google/go-cmp/cmp"

	"keepsake/backend/fault"
	"keepsake/backend/importer/copilot"
	. "keepsake/backend/importer/importertest"
	"keepsake/backend/importer/importertest/gen"
	"keepsake/backend/memory"
)

var formats = []string{"a", "b", "windows"}

// TestSuite holds the reader to what all readers promise. A table has no end of
// its own: one that is cut between two rows is a shorter table.
func TestSuite(t *testing.T) {
	var own []Fixture
	for _, format := range formats {
		data, truth := gen.Copilot(5, 4, format)
		f := Fixture{Name: format, Format: format, Files: []gen.File{{Name: "history.csv", Data: data}},
			Conversations: len(truth.Conversations), Records: truth.Records, Golden: true, Rows: true, Unread: []string{"history.csv"}}
		own = append(own, f)
		f.Name, f.Golden, f.Files = "zipped "+format, false, []gen.File{{Name: "copilot.zip", Data: gen.Zip(f.Files)}}
		own = append(own, f)
		f.Name, f.Files = "wide "+format, []gen.File{{Name: "history.csv", Data: wide(string(data), binary.LittleEndian)}}
		own = append(own, f)
	}
	Run(t, copilot.Importer{}, own, Strangers("copilot"))
}

// wide is a text as UTF-16 with the mark of its byte order.
func wide(text string, order binary.AppendByteOrder) []byte {
	out := order.AppendUint16(nil, 0xFEFF)
	for _, unit := range utf16.Encode([]rune(strings.TrimPrefix(text, "\uFEFF"))) {
		out = order.AppendUint16(out, unit)
	}
	return out
}

// Promise: a table in UTF-16, in either byte order, is the same table.
func TestWideTables(t *testing.T) {
	for _, format := range formats {
		data, _ := gen.Copilot(9, 3, format)
		text := strings.ReplaceAll(string(data), "?", "? 🫖")
		plain := read(t, text)
		for _, order := range []binary.AppendByteOrder{binary.LittleEndian, binary.BigEndian} {
			if diff := cmp.Diff(plain.Conversations, read(t, string(wide(text, order))).Conversations); diff != "" {
				t.Errorf("%s, %v:\n%s", format, order, diff)
			}
		}
	}
}

// Promise: a table that a program saved again with semicolons or tabs, as they do
// in many countries, is the same table, in UTF-16 too.
func TestOtherSeparators(t *testing.T) {
	for _, format := range formats {
		data, _ := gen.Copilot(9, 3, format)
		plain := read(t, string(data))
		for _, separator := range ";\t" {
			rows, err := csv.NewReader(bytes.NewReader(bytes.TrimPrefix(data, []byte("\xEF\xBB\xBF")))).ReadAll()
			if err != nil {
				t.Fatal(err)
			}
			var again bytes.Buffer
			w := csv.NewWriter(&again)
			w.Comma = separator
			if err := w.WriteAll(rows); err != nil {
				t.Fatal(err)
			}
			for _, text := range []string{again.String(), string(wide(again.String(), binary.LittleEndian))} {
				if diff := cmp.Diff(plain.Conversations, read(t, text).Conversations); diff != "" {
					t.Errorf("%s, %q:\n%s", format, separator, diff)
				}
			}
		}
	}
}

// read reads a table.
func read(t *testing.T, text string) *Recording {
	t.Helper()
	return Read(t, copilot.Importer{}, Loose("history.csv", text).Tree(t))
}

// TestPlanted holds that exactly what a generator planted is read.
func TestPlanted(t *testing.T) {
	for _, format := range formats {
		data, truth := gen.Copilot(9, 2, format)
		r := read(t, string(data))
		if format == "windows" { // no titles: the first question stands for one
			for i := range truth.Conversations {
				truth.Conversations[i].Title = r.Conversations[len(r.Conversations)-1-i].Title
			}
		}
		CheckPlanted(t, r, truth)
	}
}

const hard = "\uFEFFConversation,Time,Author,Message\r\n" +
	"Tea,2026-07-26T23:20:56,AI,\"Two\nlines\"\r\n" +
	"Tea,2026-07-26T23:20:56,Human,And then?\r\n" +
	"Tea,2026-07-26T23:20:50,AI,One\r\n" +
	"Tea,2026-07-26T23:20:50,Human,Start\r\n" +
	"Coffee,2026-07-25T10:00:00,Somebody Else,x\r\n" +
	"Coffee,never,Human,y\r\n" +
	"Tea,2026-07-24T10:00:00,Human,Another tea\r\n" +
	"short\r\n"

// TestCase37MarksLinesTimesAndTitles is the case of formats.md §13: a byte order
// mark, line breaks in cells, equal times, equal titles.
func TestCase37MarksLinesTimesAndTitles(t *testing.T) {
	r := read(t, hard)
	if len(r.Conversations) != 3 || len(r.Problems) != 1 || r.Unknown["author:other"] != 1 {
		t.Fatalf("%d conversations, problems %v, unknown %v", len(r.Conversations), r.Problems, r.Unknown)
	}
	var said []string
	for _, m := range r.Conversations[0].Messages {
		said = append(said, string(m.Role)+" "+m.Content.Text)
	}
	if got := strings.Join(said, "|"); got != "user Start|assistant One|user And then?|assistant Two\nlines" {
		t.Error(got)
	}
	if r.Conversations[0].ID == r.Conversations[2].ID || r.Conversations[2].Title != "Tea" {
		t.Error("two conversations of one title are one")
	}
	if c := r.Conversations[0]; c.Temporal.CreatedAt.String() != "2026-07-26T23:20:50Z" || string(c.RawMetadata["keepsake_time_zone"]) != `"assumed-utc"` {
		t.Errorf("%v %s", c.Temporal, c.RawMetadata)
	}
	if m := r.Conversations[1].Messages[0]; !m.CreatedAt.IsZero() || string(m.RawMetadata["time"]) != `"never"` {
		t.Errorf("an unknown time is %v", m.CreatedAt)
	}
}

// TestCase25ContinuedConversationIsTheSame is the case of formats.md §13: a newer
// export of the same chat has the same ids.
func TestCase25ContinuedConversationIsTheSame(t *testing.T) {
	older := read(t, "Conversation,Time,Author,Message\nTea,2026-07-26T10:00:00,AI,One\nTea,2026-07-26T10:00:00,Human,Start\n")
	newer := read(t, "Conversation,Time,Author,Message\nTea,2026-07-26T11:00:00,Human,More\nTea,2026-07-26T10:00:00,AI,One\nTea,2026-07-26T10:00:00,Human,Start\n")
	a, b := older.Conversations[0], newer.Conversations[0]
	if a.ID != b.ID || len(b.Messages) != 3 || a.Messages[1].ID != b.Messages[1].ID || a.Sum == b.Sum {
		t.Errorf("%+v\n%+v", a, b)
	}
}

// TestOddQuotesAndCuts holds that quotes out of place are read, and that a table
// that is cut off inside of some is told.
func TestOddQuotesAndCuts(t *testing.T) {
	r := read(t, "Conversation,Time,Author,Message\nTea,2026-07-26T10:00:00,Human,5\" nails\nTea,2026-07-26T09:00:00,Human,Start\n")
	if len(r.Conversations) != 1 || r.Conversations[0].Messages[1].Content.Text != `5" nails` {
		t.Errorf("%+v", r.Conversations)
	}
	cut := &Recording{}
	err := (copilot.Importer{}).Read(t.Context(), Loose("history.csv", "Conversation,Time,Author,Message\nTea,2026-07-26T10:00:00,Human,a\nTea,2026-07-26T09:00:00,Human,\"Sta").Tree(t), cut.Sink())
	if err == nil || !strings.Contains(err.Error(), "middle of a row") || len(cut.Conversations) != 1 || cut.Conversations[0].Messages[0].Role != memory.User {
		t.Errorf("%v, %+v", err, cut.Conversations)
	}
}

// TestARowThatIsTooLarge ends a table, and what stands before it is read.
func TestARowThatIsTooLarge(t *testing.T) {
	table := "Conversation,Time,Author,Message\nTea,2026-07-26T10:01:00,AI,Two\nTea,2026-07-26T10:00:00,Human,One\nBoats,2026-07-25T10:00:00,Human,\"" + strings.Repeat("long words ", 50_000) + "\"\n"
	r := &Recording{}
	err := copilot.Holding(100_000).Read(t.Context(), Loose("history.csv", table).Tree(t), r.Sink())
	if fault.From(err) == nil || fault.From(err).Reason != "csv-row-too-large" || len(r.Conversations) != 1 || len(r.Conversations[0].Messages) != 2 {
		t.Errorf("%v, %+v", err, r.Conversations)
	}
}

// FuzzRead holds that no file makes the reader panic, and that what it gives is
// sound.
func FuzzRead(f *testing.F) {
	f.Add([]byte(hard))
	f.Add(wide(hard, binary.BigEndian))
	f.Add([]byte("Timestamp,ClientApp,Prompt\n,,\n\"\n"))
	f.Add([]byte("CreatedAt,MessageContent,Author,ChatName\n1/1/2026 10:00:00 +00:00,a,bot,b\xff\n\"a\"b,c,d,e"))
	f.Fuzz(func(t *testing.T, text []byte) { CheckAnyFile(t, copilot.Importer{}, "x.csv", text) })
}

// Promise: a table whose line ends were written twice over on Windows is the same
// table, also behind quoted cells.
func TestDoubledReturns(t *testing.T) {
	for _, format := range formats {
		data, _ := gen.Copilot(9, 3, format)
		plain := read(t, string(data))
		doubled := read(t, strings.ReplaceAll(strings.ReplaceAll(string(data), "\r\n", "\n"), "\n", "\r\r\n"))
		if len(doubled.Conversations) != len(plain.Conversations) || len(doubled.Problems) != 0 {
			t.Errorf("%s: %d conversations of %d, problems %v", format, len(doubled.Conversations), len(plain.Conversations), doubled.Problems)
		}
		for i, c := range doubled.Conversations {
			if c.ID != plain.Conversations[i].ID || len(c.Messages) != len(plain.Conversations[i].Messages) {
				t.Errorf("%s: %s is another conversation", format, c.Title)
			}
		}
	}
}

// TestForeignF08EqualTimes: rows of one time are in order in a table of either direction, by
// who speaks, and where nobody tells that by the other rows of the table.
func TestForeignF08EqualTimes(t *testing.T) {
	const head = "Conversation,Time,Author,Message\r\n"
	const one = "2026-07-26T23:20:56"
	for name, c := range map[string]struct{ table, want string }{
		"oldest first":           {"A," + one + ",Human,q\r\nA," + one + ",AI,a\r\n", "q a"},
		"newest first":           {"A," + one + ",AI,a\r\nA," + one + ",Human,q\r\n", "q a"},
		"questions, up":          {"B,2026-07-01T10:00:00,Human,1\r\nB,2026-07-01T11:00:00,AI,2\r\nA," + one + ",Human,q\r\nA," + one + ",Human,r\r\n", "1 2|q r"},
		"questions, down":        {"B,2026-07-01T11:00:00,AI,2\r\nB,2026-07-01T10:00:00,Human,1\r\nA," + one + ",Human,r\r\nA," + one + ",Human,q\r\n", "1 2|q r"},
		"questions, told after":  {"A," + one + ",Human,q\r\nA," + one + ",Human,r\r\nB,2026-07-01T10:00:00,Human,1\r\nB,2026-07-01T11:00:00,AI,2\r\n", "q r|1 2"},
		"questions, nobody told": {"A," + one + ",Human,r\r\nA," + one + ",Human,q\r\n", "q r"},
	} {
		var talks []string
		for _, d := range read(t, head+c.table).Conversations {
			var said []string
			for _, m := range d.Messages {
				said = append(said, m.Content.Text)
			}
			talks = append(talks, strings.Join(said, " "))
		}
		if got := strings.Join(talks, "|"); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}
