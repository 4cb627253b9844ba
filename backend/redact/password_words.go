package redact

import "slices"

// passwordName is a word for it, in lower case. digits says that a number is as good
// as a word there; own are verbs that only its language joins a value with.
type passwordName struct {
	word   string
	digits bool
	own    []string
}

// passwordNames are those words. One with its sign, as "pass:", is none in a
// sentence. Where a language bends the word, the forms that stand before a value are
// here, and those that people write without its accents.
var passwordNames = slices.Concat(
	named(false, nil, "password", "passwd", "pwd", "passphrase", "_pass", "admin pass", "wifi pass", "wi-fi pass", "wlan pass", "router pass", "login pass", "pass:", "pass=", "passe:", "pw", "psk=", "psk:", "pass\":"),
	named(true, nil, "passcode", "pass code", "pin", "pincode", "access code", "door code", "gate code", "alarm code", "wifi key", "wi-fi key", "wpa key", "network key", "lockbox code", "keypad code", "garage code", "safe code", "lock code"),
	named(false, nil, "senha", "palavra-passe", "palavra passe", "pass do", "pass da", "contraseña", "contrasena", "clave", "contrasenya", "parola d'ordine", "frase secreta", "frase-senha", "frase de acesso", "frase de paso", "phrase secrète", "phrase de passe", "frase segreta"),
	named(true, nil, "código de acesso", "código da porta", "código do alarme", "chave do wifi", "chave do wi-fi", "código do portão", "código da garagem", "código do cofre", "código do cadeado", "código de acceso", "código de la alarma", "código de la puerta", "código del portal", "código de la caja fuerte", "clave del wifi", "clave del banco", "clave de la tarjeta", "clave del cajero", "chiave wifi", "chiave del wifi", "codice di accesso", "codice d'accesso", "clé wifi", "clé wpa", "clé du wifi", "digicode", "code d'accès", "code de la porte", "code du portail", "code de l'immeuble", "code du coffre", "code d'alarme", "code de l'alarme", "codice del cancello", "codice della porta", "codice del portone", "codice dell'allarme", "codice della cassaforte"),
	named(false, nil, "mot de passe", "mdp", "passwort", "kennwort", "wachtwoord", "ww:"),
	named(true, nil, "netzwerkschlüssel", "wlan-schlüssel", "wlan schlüssel", "wifi-schlüssel", "zugangscode", "türcode", "haustürcode", "torcode", "alarmcode", "safecode", "toegangscode", "deurcode", "kod dostępu", "暗証番号"),
	named(false, []string{"är", "er", "till", "til"}, "lösenord", "lösenordet", "losenord", "losenordet", "adgangskode", "adgangskoden", "kodeord", "kodeordet", "passord", "passordet"),
	named(false, []string{"on"}, "salasana", "salasanani"),
	named(false, []string{"to", "je"}, "hasło", "haslo", "heslo", "geslo", "lozinka", "zaporka"),
	named(false, []string{"este", "e"}, "parola", "parolă"),
	named(false, nil, "şifre", "şifresi", "şifrem", "şifremiz", "sifre", "sifresi", "sifrem", "parolası", "parolam", "jelszó", "jelszo", "jelszava", "jelszavam", "slaptažodis", "parool", "parole"),
	named(false, []string{"теперь", "сейчас"}, "пароль", "паролем", "парола", "лозинка"),
	named(false, []string{"είναι"}, "κωδικός", "κωδικος", "συνθηματικό"),
	named(false, []string{"هي", "هو"}, "كلمة المرور", "كلمة السر", "الباسورد", "رمز عبور"),
	named(false, []string{"היא", "הוא"}, "סיסמה", "סיסמא", "הסיסמה", "הסיסמא"),
	named(false, nil, "पासवर्ड", "পাসওয়ার্ড", "கடவுச்சொல்", "รหัสผ่าน", "パスワード", "密码", "密碼", "口令", "비밀번호", "패스워드", "암호"),
	named(false, []string{"là"}, "mật khẩu", "mat khau"),
	named(false, []string{"adalah", "ialah", "ni"}, "kata sandi", "kata laluan", "nenosiri", "neno la siri"),
)

func named(digits bool, own []string, words ...string) []passwordName {
	names := make([]passwordName, len(words))
	for i, word := range words {
		names[i] = passwordName{word, digits, own}
	}
	return names
}
