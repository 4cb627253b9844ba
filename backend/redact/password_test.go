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
		"otto@mail.example:Qu3tzal_9":                              {"Qu3tzal_9"},
		"root:t00r-Cellar":                                         {"t00r-Cellar"},
		"node@20.11.5: Released2024-05":                            nil,
		"**Password:** T4ble-lamp":                                 {"T4ble-lamp"},
		"password -> T4ble-lamp":                                   {"T4ble-lamp"},
		"hasło „T4ble-lamp”":                                       {"T4ble-lamp"},
		"ПАРОЛЬ: T4ble-lamp":                                       {"T4ble-lamp"},
		"password: 19870412":                                       {"19870412"},
		"password: 1200 characters":                                nil,
		"clave: 4012":                                              nil,
		"pin the runner to windows-2019":                           nil,
		"--- PASS: TestVet/5 (0.07s)":                              nil,
		"пароль от iPhone15":                                       nil,
		"Passwort windows11":                                       nil,
		"passphrase: seven herons at dawn":                         {"seven herons at dawn"},
		"passphrase is kept in the keychain":                       nil,
		"cambié mi contraseña a L1ma-Per0!":                        {"L1ma-Per0!"},
		"cambié mi contraseña a las 12":                            nil,
		"Netflix password is minecraft.":                           {"minecraft"},
		"the password is required":                                 nil,
		`{"host": "smtp.x.org", "pass": "dU3-tide"}`:               {"dU3-tide"},
		"gate code 0852, second floor":                             {"0852"},
		"Garage keypad code: 91827":                                {"91827"},
		"O código do portão é 5527*":                               {"5527*"},
		"Le code de la porte, c'est 4471B.":                        {"4471B"},
		"Der Türcode im Büro ist 1937#.":                           {"1937#"},
		"Usuário e senha do roteador: admin / casa@33":             {"casa@33"},
		"A frase secreta dele é \"abacaxi roxo canta no telhado\"": {"abacaxi roxo canta no telhado"},
		"My passphrase is Tango-Uniform-Biscuit":                   {"Tango-Uniform-Biscuit"},
		"passphrase: must-be-long":                                 nil,
		"SENHA_BANCO=bq7-Horta":                                    {"bq7-Horta"},
		"senha do e-mail (contato@ong.org.br): Sol&Chuva3":         {"Sol&Chuva3"},
		"recebi a senha provisória Muda123!agora":                  {"Muda123!agora"},
		"the senha provisória expires":                             nil,
		"7z x backup.7z -pSandcastle_2":                            {"Sandcastle_2"},
		"docker login -u bot -p kiln-fired-brick registry.x":       {"kiln-fired-brick"},
		"Safe combination: 34-12-27 (left first)":                  {"34-12-27"},
		"a combination of 12 to 14 digits":                         nil,
		"padlock bought 12-03-25":                                  nil,
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

// TestAroundANumber holds what stands before and behind a number: a question about
// it, a bracket of the sentence, an escaped line break, the path of a bot.
func TestAroundANumber(t *testing.T) {
	for text, want := range map[string]string{
		"cpf na nota? 54097055054":                     "54097055054",
		"con DNI 36.415.550-H":                         "36.415.550-H",
		"con DNI 36.415.550-J":                         "",
		"Text Ben (07863 291 774) when you land":       "07863 291 774",
		"contato do síndico: 11 3062-8814":             "11 3062-8814",
		"meu cel agora é 71 98122 6630":                "71 98122 6630",
		"new number, its 917 448 2093":                 "917 448 2093",
		"Lottery numbers this week: 04 11 19 23 38 44": "",
		`Regards,\nhenrik@nordkraft.se`:                "henrik@nordkraft.se",
		`Regards,\n+46 8 448 219 30`:                   "+46 8 448 219 30",
		"https://api.telegram.org/bot5207442315:AAJ9r3vKJCy8DacVqwWqn39outgN1OOy9gG/getUpdates": "5207442315:AAJ9r3vKJCy8DacVqwWqn39outgN1OOy9gG",
	} {
		got := ""
		for _, x := range Find(text, Default()) {
			got += text[x.Start:x.End]
		}
		if got != want {
			t.Errorf("%q: found %q, want %q", text, got, want)
		}
	}
}
