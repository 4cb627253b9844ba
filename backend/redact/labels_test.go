package redact

import (
	"bytes"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// The labelled set was written before any rule. testdata/sentences holds what a
// person would write, one sentence a line, with what is to be found marked as
// [[kind|text]]. Where a value needs a check digit or much chance, a slot such as
// {card} stands; {~order} and its like are filled with what must not be found.
// "3| " before a sentence fills it three times. testdata/labelled.txt is the set
// with all slots filled by one seed; ⏎ stands for a line break.
const (
	labelledSet  = "testdata/labelled.txt"
	labelledSeed = 20261121
)

var fill = flag.Bool("fill", false, "fill the sentences again and write "+labelledSet)

// TestLabelledSetIsTheFilledSentences holds that the set can be made again.
func TestLabelledSetIsTheFilledSentences(t *testing.T) {
	made := filledSentences(t)
	if *fill {
		if err := os.WriteFile(labelledSet, made, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	kept, err := os.ReadFile(labelledSet)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(kept, made) {
		t.Error("the set is not what the sentences give; run the test with -fill and look at the difference")
	}
	if n := bytes.Count(kept, []byte("\n")); n < 1000 {
		t.Errorf("the set holds %d lines, want at least 1,000", n)
	}
}

func filledSentences(t *testing.T) []byte {
	t.Helper()
	files, err := filepath.Glob("testdata/sentences/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatal("no sentences", err)
	}
	f := filler{rand.New(rand.NewPCG(labelledSeed, 7))}
	var out bytes.Buffer
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(text)) {
			times := 1
			if n, rest, ok := strings.Cut(line, "| "); ok && len(n) == 1 {
				times, _ = strconv.Atoi(n)
				line = rest
			}
			for range times {
				out.WriteString(slot.ReplaceAllStringFunc(line, f.slot))
			}
		}
	}
	return out.Bytes()
}

// slot is {card}, {iban:DE}, {~digits:12}.
var slot = regexp.MustCompile(`\{~?[a-z0-9]+(?::[A-Za-z0-9]+)?\}`)

// filler fills slots by chance.
type filler struct{ *rand.Rand }

const (
	digits    = "0123456789"
	upper     = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	alnum     = upper + "abcdefghijklmnopqrstuvwxyz" + digits
	urlsafe   = alnum + "_-"
	hexdigits = "0123456789abcdef"
)

// of is n characters of an alphabet.
func (f filler) of(alphabet string, n int) string {
	out := make([]byte, n)
	for i := range out {
		out[i] = alphabet[f.IntN(len(alphabet))]
	}
	return string(out)
}

func (f filler) one(of ...string) string { return of[f.IntN(len(of))] }

func (f filler) slot(s string) string {
	name, arg, _ := strings.Cut(strings.Trim(s, "{}"), ":")
	if rest, ok := strings.CutPrefix(name, "~"); ok {
		return f.negative(rest, arg, s)
	}
	kind, text := f.positive(name, arg)
	if kind == "" {
		return s // a brace a sentence wrote, such as a dictionary
	}
	return "[[" + kind + "|" + text + "]]"
}

func (f filler) positive(name, arg string) (kind, text string) {
	switch name {
	case "card":
		return "credit_card", f.card(true)
	case "amex":
		n := f.withLuhn(f.one("34", "37") + f.of(digits, 12))
		return "credit_card", f.one(n, n[:4]+" "+n[4:10]+" "+n[10:])
	case "iban":
		return "iban", f.iban(arg)
	case "pem", "pemjson":
		return "private_key", f.pem(name, arg)
	}
	if id := f.nationalID(name); id != "" {
		return "national_id", id
	}
	if key := f.key(name); key != "" {
		return "api_key", key
	}
	return "", ""
}

func (f filler) negative(name, arg, as string) string {
	n, _ := strconv.Atoi(arg)
	switch name {
	case "uuid":
		h := f.of(hexdigits, 32)
		return h[:8] + "-" + h[8:12] + "-7" + h[13:16] + "-a" + h[17:20] + "-" + h[20:]
	case "sha1":
		return f.of(hexdigits, 40)
	case "sha256":
		return f.of(hexdigits, 64)
	case "md5":
		return f.of(hexdigits, 32)
	case "hex":
		return f.of(hexdigits, n)
	case "digits":
		return f.of(digits[1:], 1) + f.of(digits, n-1)
	case "badcard":
		return f.card(false)
	case "badcpf":
		id := f.of(digits, 9)
		check := cpfCheck(id)
		return id[:3] + "." + id[3:6] + "." + id[6:] + "-" + string('0'+(check[0]-'0'+1)%10) + check[1:]
	case "badiban":
		good := f.ibanPlain(f.one("DE", "FR", "ES", "IT", "GB"))
		return groups(good[:2]+fmt.Sprintf("%02d", (atoi(good[2:4])+1)%97+1)+good[4:], 4)
	case "imei":
		return f.withLuhn("35" + f.of(digits, 12))
	case "isbn":
		id := "978" + f.of(digits, 9)
		sum := 0
		for i, c := range id {
			sum += int(c-'0') * (1 + 2*(i%2))
		}
		id += strconv.Itoa((10 - sum%10) % 10)
		return id[:3] + "-" + id[3:4] + "-" + id[4:7] + "-" + id[7:12] + "-" + id[12:]
	case "order":
		return f.one(f.of(digits[1:], 3)+"-"+f.of(digits, 7)+"-"+f.of(digits, 7), f.of(upper, 2)+f.of(digits, 8),
			"2024-"+f.of(digits, 6), f.of(digits[1:], 1)+f.of(digits, 9), f.of(upper, 3)+"-"+f.of(digits, 4)+"-"+f.of(digits, 4))
	case "b64":
		if n == 0 {
			n = 88
		}
		return f.of(base64s, n)
	case "cert":
		return f.block("CERTIFICATE", 3)
	case "pubkey":
		return f.block("PUBLIC KEY", 2)
	}
	panic("no such slot: " + as)
}

func atoi(s string) int { n, _ := strconv.Atoi(s); return n }

// groups puts a space after every n characters.
func groups(s string, n int) string {
	var out []string
	for len(s) > n {
		out, s = append(out, s[:n]), s[n:]
	}
	return strings.Join(append(out, s), " ")
}

func (f filler) withLuhn(s string) string {
	sum := 0
	for i := range len(s) {
		d := int(s[len(s)-1-i] - '0')
		if i%2 == 0 {
			if d *= 2; d > 9 {
				d -= 9
			}
		}
		sum += d
	}
	return s + strconv.Itoa((10-sum%10)%10)
}

func (f filler) card(good bool) string {
	n := f.withLuhn(f.one("4"+f.of(digits, 4), "5"+f.of("12345", 1)+f.of(digits, 3), "222"+f.of("123456789", 1)+f.of(digits, 1), "6011"+f.of(digits, 1)) + f.of(digits, 10))
	if !good {
		n = n[:15] + strconv.Itoa((atoi(n[15:])+1+f.IntN(9))%10)
	}
	return f.one(n, groups(n, 4), groups(n, 4), strings.ReplaceAll(groups(n, 4), " ", "-"))
}

// ibanShapes are the account parts: n digits, a letters, c either.
var ibanShapes = map[string]string{
	"DE": "n18", "FR": "n10c11n2", "GB": "a4n14", "IE": "a4n14", "NL": "a4n10", "BE": "n12", "ES": "n20", "PT": "n21",
	"IT": "a1n10c12", "AT": "n16", "CH": "n5c12", "PL": "n24", "SE": "n20", "BR": "n23a1c1",
}

var shapePart = regexp.MustCompile(`[nac]\d+`)

func (f filler) iban(country string) string {
	s := f.ibanPlain(country)
	return f.one(s, groups(s, 4), groups(s, 4))
}

func (f filler) ibanPlain(country string) string {
	var b strings.Builder
	for _, part := range shapePart.FindAllString(ibanShapes[country], -1) {
		b.WriteString(f.of(map[byte]string{'n': digits, 'a': upper, 'c': upper + digits}[part[0]], atoi(part[1:])))
	}
	rest := 0
	for _, c := range b.String() + country + "00" {
		if c >= 'A' {
			rest = (rest*100 + int(c-'A') + 10) % 97
		} else {
			rest = (rest*10 + int(c-'0')) % 97
		}
	}
	return country + fmt.Sprintf("%02d", 98-rest) + b.String()
}

func cpfCheck(id string) string {
	for len(id) < 11 {
		sum := 0
		for i, c := range id {
			sum += int(c-'0') * (len(id) + 1 - i)
		}
		id += strconv.Itoa(sum * 10 % 11 % 10)
	}
	return id[9:]
}

func cnpjCheck(id string) string {
	for len(id) < 14 {
		sum := 0
		for i, c := range id {
			sum += int(c-'0') * (2 + (len(id)-1-i)%8)
		}
		if d := 11 - sum%11; d > 9 {
			id += "0"
		} else {
			id += strconv.Itoa(d)
		}
	}
	return id[12:]
}

func (f filler) nationalID(name string) string {
	switch name {
	case "cpf", "cpfbare":
		id := f.of(digits, 9)
		id += cpfCheck(id)
		if name == "cpfbare" {
			return id
		}
		return id[:3] + "." + id[3:6] + "." + id[6:9] + "-" + id[9:]
	case "cnpj", "cnpjbare":
		id := f.of(digits, 8) + "0001"
		id += cnpjCheck(id)
		if name == "cnpjbare" {
			return id
		}
		return id[:2] + "." + id[2:5] + "." + id[5:8] + "/" + id[8:12] + "-" + id[12:]
	case "ssn", "ssnbare":
		area, group, serial := fmt.Sprintf("%03d", 1+f.IntN(660)), fmt.Sprintf("%02d", 1+f.IntN(99)), fmt.Sprintf("%04d", 1+f.IntN(9999))
		if name == "ssnbare" {
			return area + group + serial
		}
		return area + "-" + group + "-" + serial
	case "nino":
		p, d, s := f.one("AB", "CE", "JG", "PW", "SN", "HY", "LM"), f.of(digits, 6), f.of("ABCD", 1)
		return f.one(p+d+s, p+" "+d[:2]+" "+d[2:4]+" "+d[4:]+" "+s)
	case "steuer":
		return f.steuer()
	case "nir":
		id := f.one("1", "2") + f.of(digits, 2) + fmt.Sprintf("%02d", 1+f.IntN(12)) + fmt.Sprintf("%02d", 1+f.IntN(95)) + f.of(digits, 6)
		id += fmt.Sprintf("%02d", 97-atoi(id)%97)
		return f.one(id, id[:1]+" "+id[1:3]+" "+id[3:5]+" "+id[5:7]+" "+id[7:10]+" "+id[10:13]+" "+id[13:])
	case "dni":
		id := f.of(digits, 8)
		return id + f.one("", "-") + dniLetter(id)
	case "nie":
		i := f.IntN(3)
		id := f.of(digits, 7)
		return "XYZ"[i:i+1] + f.one("", "-") + id + f.one("", "-") + dniLetter(strconv.Itoa(i)+id)
	case "nif":
		id := f.of("125", 1) + f.of(digits, 7)
		sum := 0
		for i, c := range id {
			sum += int(c-'0') * (9 - i)
		}
		check := 11 - sum%11
		if check > 9 {
			check = 0
		}
		id += strconv.Itoa(check)
		return f.one(id, groups(id, 3))
	case "cf":
		return f.codiceFiscale()
	}
	return ""
}

func dniLetter(id string) string { n := atoi(id) % 23; return "TRWAGMYFPDXBNJZSQVHLCKE"[n : n+1] }

// steuer has one digit twice and one never in its first ten; ISO 7064 MOD 11,10.
func (f filler) steuer() string {
	order := f.Perm(10)
	order[9] = order[f.IntN(8)]
	if order[0] == 0 {
		order[0] = order[1]
		order[9], order[1] = 0, order[9]
		return f.steuer()
	}
	id, product := "", 10
	for _, d := range order {
		id += strconv.Itoa(d)
		sum := (d + product) % 10
		if sum == 0 {
			sum = 10
		}
		product = sum * 2 % 11
	}
	id += strconv.Itoa((11 - product) % 10)
	return f.one(id, id[:2]+" "+id[2:5]+" "+id[5:8]+" "+id[8:])
}

func (f filler) codiceFiscale() string {
	id := f.of("BCDFGLMNPRSTVZ", 6) + f.of(digits, 2) + f.of("ABCDEHLMPRST", 1) + fmt.Sprintf("%02d", 1+f.IntN(28)) + f.of("ABCDEFGHIL", 1) + f.of(digits, 3)
	odd := []int{1, 0, 5, 7, 9, 13, 15, 17, 19, 21, 2, 4, 18, 20, 11, 3, 6, 8, 12, 14, 16, 10, 22, 25, 24, 23}
	sum := 0
	for i, c := range id {
		v := int(c - 'A')
		if c <= '9' {
			v = int(c - '0')
		}
		if i%2 == 0 {
			v = odd[v]
		}
		sum += v
	}
	return id + string(rune('A'+sum%26))
}

func (f filler) key(name string) string {
	switch name {
	case "aws":
		return "AKIA" + f.of(upper+"234567", 16)
	case "awssecret":
		return f.of(base64s, 40)
	case "ghp":
		return f.one("ghp_", "gho_", "ghs_") + f.of(alnum, 36)
	case "ghpat":
		return "github_pat_" + f.of(alnum, 22) + "_" + f.of(alnum, 59)
	case "glpat":
		return "glpat-" + f.of(urlsafe, 19) + f.of(alnum, 1)
	case "slack":
		return f.one("xoxb-", "xoxp-") + f.of(digits, 12) + "-" + f.of(digits, 12) + "-" + f.of(alnum, 24)
	case "slackhook":
		return "https://hooks.slack.com/services/T" + f.of(upper+digits, 10) + "/B" + f.of(upper+digits, 10) + "/" + f.of(alnum, 24)
	case "stripe":
		return f.one("sk_live_", "sk_test_", "rk_live_") + f.of(alnum, 24+75*f.IntN(2))
	case "openai":
		return "sk-" + f.of(alnum, 20) + "T3BlbkFJ" + f.of(alnum, 20)
	case "openaiproj":
		return "sk-proj-" + f.of(urlsafe, 58) + "T3BlbkFJ" + f.of(urlsafe, 57) + "A"
	case "anthropic":
		return "sk-ant-api03-" + f.of(urlsafe, 93) + "AA"
	case "google":
		return "AIza" + f.of(urlsafe, 34) + f.of(alnum, 1)
	case "jwt":
		return "eyJhbGciOiJIUzI1NiJ9.eyJ" + f.of(urlsafe, 70) + "." + f.of(urlsafe, 42) + f.of(alnum, 1)
	case "npm":
		return "npm_" + f.of(alnum, 36)
	case "pypi":
		return "pypi-AgEIcHlwaS5vcmc" + f.of(urlsafe, 120) + f.of(alnum, 1)
	case "sendgrid":
		return "SG." + f.of(urlsafe, 22) + "." + f.of(urlsafe, 42) + f.of(alnum, 1)
	case "hf":
		return "hf_" + f.of(alnum, 34)
	case "do":
		return "dop_v1_" + f.of(hexdigits, 64)
	case "shopify":
		return "shpat_" + f.of(hexdigits, 32)
	case "telegram":
		return f.of(digits[1:], 1) + f.of(digits, 9) + ":AA" + f.of(urlsafe, 32) + f.of(alnum, 1)
	case "opaque":
		return f.one(f.of(hexdigits, 32), f.of(alnum, 40), f.of(hexdigits, 64), f.of(alnum, 24))
	}
	return ""
}

func (f filler) pem(name, arg string) string {
	label := map[string]string{"RSA": "RSA PRIVATE KEY", "EC": "EC PRIVATE KEY", "DSA": "DSA PRIVATE KEY", "OPENSSH": "OPENSSH PRIVATE KEY",
		"ENCRYPTED": "ENCRYPTED PRIVATE KEY", "PKCS8": "PRIVATE KEY", "PGP": "PGP PRIVATE KEY BLOCK", "": "PRIVATE KEY"}[arg]
	block := f.block(label, 2+f.IntN(6))
	if name == "pemjson" {
		return strings.ReplaceAll(block, "⏎", `\n`)
	}
	return block
}

func (f filler) block(label string, lines int) string {
	var b strings.Builder
	b.WriteString("-----BEGIN " + label + "-----⏎")
	for range lines {
		b.WriteString(f.of(base64s, 64) + "⏎")
	}
	b.WriteString(f.of(base64s, 22) + "==⏎-----END " + label + "-----")
	return b.String()
}
