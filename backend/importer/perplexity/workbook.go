package perplexity

import (
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"keepsake/backend/fault"
	"keepsake/backend/importer"
	"keepsake/backend/importer/jsonstream"
	"keepsake/backend/intake"
)

// Limits of a workbook: bytes of its small parts, of all shared texts together,
// and of one row; and how many columns are looked at.
const (
	maxPart    = 4 << 20
	maxShared  = 128 << 20
	maxRow     = 64 << 20
	maxColumns = 256
)

// workbook is an opened one: a folder of parts.
type workbook struct {
	tree   *intake.Tree
	files  map[string]intake.File // parts by their path below the workbook
	sheets []sheet
	shared []string // texts that cells name by number; read when the first sheet is
}

type sheet struct {
	name string
	file intake.File
}

// openWorkbook finds the parts below root, where workbook.xml lies in root/xl.
// Nil is a workbook without sheets, or none.
func openWorkbook(ctx context.Context, tree *intake.Tree, root string, source int) (*workbook, error) {
	w := &workbook{tree: tree, files: map[string]intake.File{}}
	for _, f := range tree.Files() {
		if name, ok := strings.CutPrefix(f.Path, root); ok && f.Source == source {
			w.files[name] = f
		}
	}
	targets := map[string]string{}
	err := w.elements(ctx, "xl/_rels/workbook.xml.rels", "Relationship", func(a map[string]string) {
		target := strings.TrimPrefix(a["Target"], "/xl/")
		targets[a["Id"]] = path.Join("xl", target)
	})
	if err == nil {
		err = w.elements(ctx, "xl/workbook.xml", "sheet", func(a map[string]string) {
			if f, ok := w.files[targets[a["id"]]]; ok {
				w.sheets = append(w.sheets, sheet{a["name"], f})
			}
		})
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil || len(w.sheets) == 0 {
		return nil, nil
	}
	return w, nil
}

// elements gives the attributes of each element of that name in a small part.
func (w *workbook) elements(ctx context.Context, part, name string, take func(map[string]string)) error {
	f, ok := w.files[part]
	if !ok {
		return io.ErrUnexpectedEOF
	}
	text, err := w.tree.ReadAll(ctx, f, maxPart)
	if err != nil {
		return err
	}
	d := xml.NewDecoder(strings.NewReader(string(text)))
	for {
		token, err := d.RawToken()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if start, ok := token.(xml.StartElement); ok && start.Name.Local == name {
			attrs := map[string]string{}
			for _, a := range start.Attr {
				attrs[a.Name.Local] = a.Value
			}
			take(attrs)
		}
	}
}

// readShared reads the texts that cells share.
func (w *workbook) readShared(ctx context.Context) error {
	f, ok := w.files["xl/sharedStrings.xml"]
	if !ok || w.shared != nil {
		return nil
	}
	body, err := w.tree.Open(ctx, f)
	if err != nil {
		return err
	}
	defer body.Close()
	d := xml.NewDecoder(&jsonstream.Capped{R: body, Left: maxShared})
	var text strings.Builder
	inText, sound := false, 0 // of <t>, and how many <rPh> (readings) are open
	for {
		token, err := d.RawToken()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return w.explain(f, err)
		}
		switch t := token.(type) {
		case xml.StartElement:
			inText = t.Name.Local == "t"
			if t.Name.Local == "rPh" {
				sound++
			}
		case xml.CharData:
			if inText && sound == 0 {
				text.Write(t)
			}
		case xml.EndElement:
			inText = false
			switch t.Name.Local {
			case "rPh":
				sound--
			case "si":
				w.shared = append(w.shared, plain(text.String()))
				text.Reset()
			}
		}
	}
}

// rows gives the rows of a sheet, the head first, cells by their column. A row
// that the sheet leaves out is not given.
func (w *workbook) rows(ctx context.Context, s sheet, take func(n int, cells []string) error) error {
	if err := w.readShared(ctx); err != nil {
		return err
	}
	body, err := w.tree.Open(ctx, s.file)
	if err != nil {
		return err
	}
	defer body.Close()
	source := &jsonstream.Capped{R: body, Left: maxRow}
	d := xml.NewDecoder(source)
	r := rowReader{w: w}
	for n := 0; ; {
		token, err := d.RawToken()
		if errors.Is(err, io.EOF) && r.ended {
			return nil
		}
		if err != nil {
			return w.explain(s.file, err)
		}
		if r.token(token) {
			n++
			if err := take(n, r.cells); err != nil {
				return err
			}
			r.cells = nil
			source.Left = maxRow
		}
	}
}

// explain says why a part ended early.
func (w *workbook) explain(f intake.File, err error) error {
	var syntax *xml.SyntaxError
	switch {
	case errors.Is(err, jsonstream.ErrCapped):
		return fault.New(fault.TooLarge, "workbook-too-large", "{name} of the workbook holds more in one piece than Keepsake reads.").With("name", f.Path)
	case errors.As(err, &syntax), errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return fault.New(fault.Invalid, "workbook-damaged", "{name} of the workbook ends in the middle or is damaged; the rows before that were read.").
			With("name", f.Path).Advise("Download the export again and import it; nothing is imported twice.").Because(err)
	}
	return fmt.Errorf("read %s: %w", f.Path, err)
}

// rowReader collects the cells of one row.
type rowReader struct {
	w      *workbook
	cells  []string
	column int
	kind   string
	text   strings.Builder
	open   bool // inside of <v> or <t>
	ended  bool // the end of the sheet was seen
}

// token takes one token; true is the end of a row.
func (r *rowReader) token(token xml.Token) bool {
	switch t := token.(type) {
	case xml.StartElement:
		switch t.Name.Local {
		case "c":
			r.column, r.kind = len(r.cells), ""
			for _, a := range t.Attr {
				switch a.Name.Local {
				case "r":
					r.column = columnOf(a.Value, r.column)
				case "t":
					r.kind = a.Value
				}
			}
			r.text.Reset()
		case "v", "t":
			r.open = true
		}
	case xml.CharData:
		if r.open {
			r.text.Write(t)
		}
	case xml.EndElement:
		r.open = false
		switch t.Name.Local {
		case "c":
			r.put()
		case "row":
			return true
		case "worksheet":
			r.ended = true
		}
	}
	return false
}

// put stores the cell that ended.
func (r *rowReader) put() {
	if r.column >= maxColumns {
		return
	}
	text := r.text.String()
	if r.kind == "s" {
		n, err := strconv.Atoi(strings.TrimSpace(text))
		if text = ""; err == nil && n >= 0 && n < len(r.w.shared) {
			text = r.w.shared[n]
		}
	} else {
		text = plain(text)
	}
	for len(r.cells) <= r.column {
		r.cells = append(r.cells, "")
	}
	r.cells[r.column] = text
}

// columnOf reads the letters of a cell's place ("AB12"), counted from 0.
func columnOf(place string, otherwise int) int {
	n := 0
	for _, c := range place {
		if c < 'A' || c > 'Z' {
			break
		}
		if n = n*26 + int(c-'A') + 1; n > maxColumns {
			return maxColumns
		}
	}
	if n == 0 {
		return otherwise
	}
	return n - 1
}

// escaped are characters that XML cannot hold, as workbooks write them.
var escaped = regexp.MustCompile(`_x([0-9A-Fa-f]{4})_`)

// plain is the text of a cell.
func plain(s string) string {
	s = strings.ToValidUTF8(s, "\uFFFD")
	if !strings.Contains(s, "_x") {
		return s
	}
	return escaped.ReplaceAllStringFunc(s, func(m string) string {
		n, _ := strconv.ParseUint(m[2:6], 16, 16)
		if n >= 0xD800 && n <= 0xDFFF {
			return "\uFFFD"
		}
		return string(rune(n))
	})
}

// table is a sheet with named columns.
type table struct {
	*workbook
	sheet
	columns []string // names in upper case
}

// named reads the head of a sheet.
func (w *workbook) named(ctx context.Context, s sheet) (table, error) {
	t := table{workbook: w, sheet: s}
	err := w.rows(ctx, s, func(_ int, cells []string) error {
		for _, c := range cells {
			t.columns = append(t.columns, strings.ToUpper(strings.TrimSpace(c)))
		}
		return errEnough
	})
	if errors.Is(err, errEnough) {
		err = nil
	}
	return t, err
}

var errEnough = errors.New("enough")

// row is one row by the names of its columns.
type row struct {
	n     int
	cells map[string]string
	more  [][2]string // name and value of columns that the reader does not know
}

// each gives the rows below the head. Known are the columns that have a place of
// their own.
func (t table) each(ctx context.Context, known []string, take func(row) error) error {
	return t.rows(ctx, t.sheet, func(n int, cells []string) error {
		if n == 1 {
			return nil
		}
		r := row{n: n, cells: map[string]string{}}
		for i, cell := range cells {
			if i >= len(t.columns) || cell == "" {
				continue
			}
			if slices.Contains(known, t.columns[i]) {
				r.cells[t.columns[i]] = cell
			} else {
				r.more = append(r.more, [2]string{t.columns[i], cell})
			}
		}
		if len(r.cells)+len(r.more) == 0 {
			return nil // formatted and empty
		}
		return take(r)
	})
}

// item says where a row is, for reports.
func (t table) item(r row) importer.Item { return importer.Item{File: t.file, At: r.n} }
