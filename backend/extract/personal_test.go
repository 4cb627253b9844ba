package extract

import "testing"

// What is never proposed to be put away: words of health, food, birth, names and family.
func TestIsPersonal(t *testing.T) {
	for _, text := range []string{
		"Is allergic to penicillin", "User's birthday is 3 March", "Vegetarian since 2019", "Has type 1 diabetes", "Their daughter is called Ana", "Takes medication for migraine", "Prefers to be called by the name Kit",
		"Tem alergia a amendoim", "É vegetariana", "Faz aniversário em maio", "Nasceu em Coimbra", "O filho mais velho toca piano",
		"Ist allergisch gegen Nüsse", "Hat am 4. Mai Geburtstag", "Verträgt keine Laktose", "Die Tochter heißt Mia",
		"Est allergique aux noix", "Enceinte de six mois", "Sa fille a dix ans", "Es celíaca", "Su cumpleaños es en junio", "Su hija vive en Lugo",
		"ピーナッツアレルギーがあります", "对花生过敏", "аллергия на орехи", "health",
	} {
		if !IsPersonal(text) {
			t.Errorf("%q is not taken for personal", text)
		}
	}
	for _, text := range []string{"Has a cello", "Walks on Sundays", "Uses Go 1.26 with Wails", "Prefers short answers", "Gosta de chá", "Trinkt Tee", "Works with Postgres"} {
		if IsPersonal(text) {
			t.Errorf("%q is taken for personal", text)
		}
	}
}
