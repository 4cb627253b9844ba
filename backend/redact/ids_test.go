package redact

import "testing"

// TestNationalNumbers holds each number to its check and to its word: with both it
// is found, with another digit or without a word it is not.
func TestNationalNumbers(t *testing.T) {
	for _, n := range []struct{ good, bad, bare string }{
		{"Cartão de cidadão 324229828HC1", "Cartão de cidadão 324229828HC2", "Artigo 324229828HC1"},
		{"CC 32422982 8 HC1", "CC 32422982 9 HC9", "Artigo 32422982 8 HC2"},
		{"NISS 14036177321", "NISS 14036177322", "artigo 14036177321"},
		{"PIS 11580264250", "PIS 11580264251", "lote 11580264250"},
		{"115.80264.25-0", "PIS 115.80264.25-1", "PIS 000.00000.00-0"},
		{"PESEL 62040890289", "PESEL 62040890288", "lot 62040890289"},
		{"BSN 684702149", "BSN 684702148", "lot 684702149"},
		{"SIN 191 945 732", "SIN 191 945 733", "sin prisa 191 945 732"},
		{"social insurance 166-845-859", "social insurance 166-845-858", "lot 166-845-859"},
		{"84.03.12-708.38", "rijksregisternummer 84.03.12-708.39", "84.13.42-708.38"},
		{"national number 84031270838", "national number 84031270839", "lot 84031270838"},
	} {
		for text, want := range map[string]bool{n.good: true, n.bad: false, n.bare: false} {
			found := false
			for _, x := range Find(text, Default()) {
				found = found || x.Kind == NationalID
			}
			if found != want {
				t.Errorf("%q: found is %v", text, found)
			}
		}
	}
}

// TestPublicForms holds the length of what follows a prefix.
func TestPublicForms(t *testing.T) {
	for _, key := range []string{
		"glsa_X4Ma1A51vNoMU1DkStkBRt74ibYNCQpt_0532ad9d", "figd_3ApFcXlV4cxgwXoJxtUOljB1RHqzaiaIQ6CD8ASQ", "PMAK-eac6671ebef3bded35459047-217f453446aa70198755cd50511e463d9f",
		"NRAK-3O77FQSK0W5VWTILP6RK6S9AF4S", "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",
		"dapif969a6a67cf855fded19cbb9520e0f6c", "SKb5125b1c760bc7c40a236056f1f4ae74",
		"https://discord.com/api/webhooks/1117212129803958574/D4OVAgHOZUH9shhezEVMdQQP7_3kdhPUNC3EX3rE-8WW4dab0W-QmLoVzC5IIGocfmmE",
		"MTk4NjIyNDgzNDcxOTI1MjQ4.Gk3xQz.Jx2bVq7LmN9pRtYw4ZsKcDfHg6AeUi1oPl8_Tn",
	} {
		whole := Find("see "+key+" there", Default())
		if len(whole) != 1 || whole[0] != (Finding{APIKey, 4, 4 + len(key)}) {
			t.Errorf("%s: %v", key, whole)
		}
		if cut := Find("see "+key[:len(key)/2]+" there", Default()); len(cut) != 0 {
			t.Errorf("half of %s: %v", key, cut)
		}
	}
}
