package redact

import (
	"slices"
	"testing"
)

func TestPasswordsAsPeopleWriteThem(t *testing.T) {
	for text, want := range map[string][]string{
		"name,url,username,password\nshop,https://shop.example,otto,Fh2-regal\nbank,https://bank.example,otto,99-Luft!": {"Fh2-regal", "99-Luft!"},
		"| Site | Password |\n|---|---|\n| shop | Fh2-regal |\nThe table ends | A1b2c3d4":                               {"Fh2-regal"},
		"Ana: qual a senha do wifi?\n[10:03] Rui: praiaGrande_5":                                                        {"praiaGrande_5"},
		"What is the password?\nIt has 12 characters, Rui said so":                                                      nil,
		"otto@mail.example:Qu3tzal_9":        {"Qu3tzal_9"},
		"root:t00r-Cellar":                   {"t00r-Cellar"},
		"node@20.11.5: Released2024-05":      nil,
		"**Password:** T4ble-lamp":           {"T4ble-lamp"},
		"password -> T4ble-lamp":             {"T4ble-lamp"},
		"hasło „T4ble-lamp”":                 {"T4ble-lamp"},
		"ПАРОЛЬ: T4ble-lamp":                 {"T4ble-lamp"},
		"password: 19870412":                 {"19870412"},
		"password: 1200 characters":          nil,
		"clave: 4012":                        nil,
		"pin the runner to windows-2019":     nil,
		"--- PASS: TestVet/5 (0.07s)":        nil,
		"пароль от iPhone15":                 nil,
		"Passwort windows11":                 nil,
		"passphrase: seven herons at dawn":   {"seven herons at dawn"},
		"passphrase is kept in the keychain": nil,
		"cambié mi contraseña a L1ma-Per0!":  {"L1ma-Per0!"},
		"cambié mi contraseña a las 12":      nil,
		"Netflix password is minecraft.":     {"minecraft"},
		"the password is required":           nil,
	} {
		var got []string
		for _, x := range Find(text, []Kind{Password}) {
			got = append(got, text[x.Start:x.End])
		}
		if !slices.Equal(got, want) {
			t.Errorf("%q: found %q, want %q", text, got, want)
		}
	}
}
