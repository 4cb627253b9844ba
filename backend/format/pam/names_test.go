package pam_test

import "testing"

// TestNamesOfTheWorld: a URI is one of RFC 3986, a DID one of DID Core, to the
// character; what the schema lets pass is told.
func TestNamesOfTheWorld(t *testing.T) {
	for _, c := range []struct {
		check     string
		set       func(d map[string]any, text string)
		good, bad []string
	}{
		{"uri", func(d map[string]any, text string) { d["spec_uri"] = text }, []string{
			"https://portable-ai-memory.org/spec/v1.0", "HTTP://A", "x:", "x:y", "urn:a:b", "mailto:x@y.z", "tag:a,2020:x", "a+b.c-d:x", "http:///x", "http:", "file:/a",
			"http://u:p@h:80/a?b=c", "http://h:/", "http://[::1]:80/", "http://[v1.x:y]/", "http://[::ffff:1.2.3.4]/", "http://a/%20?q/?#f/?", "http://a@b/c@d:e", "x:#f", "x:?q",
		}, []string{
			"a/b", "//a/b", "1a:b", "a_b:c", "http://a b", "http://a/b c", "http://a/\u00e9", "http://a/{x}", "http://a/<x>", `http://a/"x`, "http://a/^x", "http://a/`x", "http://a/|x", `http://a\b`,
			"http://a#x#y", "http://a/[x]", "http://a?b[0]=c", "http://a@b@c/", "http://[fe80::1%25en0]/", "http://[1::2::3]/", "http://[1.2.3.4]/", "http://[]/", "http://[::1", "http://h:8x/", "http://a/%zz", "http://a/%7", "http://a/\x7f", "http://a/x\n",
		}},
		{"did", func(d map[string]any, text string) { inner(d, "owner")["did"] = text }, []string{
			"did:web:example.com:user:alice", "did:web:example.com%3A3000", "did:web::a", "did:a1:b_c-d.e", "did:pkh:eip155:1:0xab16a96D359eC26a11e2C2b3d8f8B8942d5Bfcdb",
		}, []string{
			"did:web:a b", "did:web:a/b", "did:web:a#f", "did:web:a?x=y", "did:web:\u00e9", "did:web:a:", "did:a:b%zz", "did:a:b%4", "did:a:b;c", "did:a:b@c", "did:a:b~c", "did:a::",
		}},
	} {
		for want, texts := range map[bool][]string{true: c.good, false: c.bad} {
			for _, text := range texts {
				v := validate(t, "x.json", edited(t, func(d map[string]any) { c.set(d, text) }))
				if v.Valid != want || has(v.Errors, c.check) == want {
					t.Errorf("%s %q: %+v", c.check, text, v.Errors)
				}
			}
		}
	}
}
