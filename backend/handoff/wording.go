package handoff

// Person is whose words a text speaks in.
type Person string

const (
	AsWritten Person = ""      // memories stay as they are
	First     Person = "first" // "I prefer tea": what the person pastes about themself
	Third     Person = "third" // "The user prefers tea": files and prompts that speak about the person
)

// wording is what the program itself says in a text, in one language.
type wording struct {
	about     string // heading in the first person
	aboutUser string // the same heading in the third
	answer    string
	projects  string
	know      string // begins a prompt
	file      string // title of a file beside code
	remember  string // begins a message that asks to keep what follows
}

// wordings by BCP 47 tag. What is asked of an assistant is imperative, so that it fits
// every way of address.
var wordings = map[string]wording{
	"en": {
		about: "About me", aboutUser: "About the user", answer: "How to answer", projects: "Projects",
		know: "What you should know about the person you are working with.", file: "About the person you work with",
		remember: "Please remember these things about me, each as its own memory:",
	},
	"pt-BR": {
		about: "Sobre mim", aboutUser: "Sobre o usuário", answer: "Como responder", projects: "Projetos",
		know: "O que você deve saber sobre a pessoa com quem trabalha.", file: "Sobre a pessoa com quem você trabalha",
		remember: "Lembre-se, por favor, destas coisas sobre mim, cada uma como uma memória própria:",
	},
	"es": {
		about: "Sobre mí", aboutUser: "Sobre el usuario", answer: "Cómo responder", projects: "Proyectos",
		know: "Lo que debes saber sobre la persona con la que trabajas.", file: "Sobre la persona con la que trabajas",
		remember: "Recuerda, por favor, estas cosas sobre mí, cada una como un recuerdo propio:",
	},
	"de": {
		about: "Über mich", aboutUser: "Über den Nutzer", answer: "Wie geantwortet werden soll", projects: "Projekte",
		know: "Was du über die Person wissen solltest, mit der du arbeitest.", file: "Über die Person, mit der du arbeitest",
		remember: "Bitte merke dir das Folgende über mich, jedes als eigene Erinnerung:",
	},
	"fr": {
		about: "À propos de moi", aboutUser: "À propos de l’utilisateur", answer: "Comment répondre", projects: "Projets",
		know: "Ce que tu dois savoir sur la personne avec qui tu travailles.", file: "À propos de la personne avec qui tu travailles",
		remember: "Retiens, s’il te plaît, ces choses à mon sujet, chacune comme un souvenir à part :",
	},
}

// Languages are those that headings can have; the first is the default.
func Languages() []string { return []string{"en", "pt-BR", "es", "de", "fr"} }

// aboutTitle is the heading of the first group.
func aboutTitle(w wording, p Person) string {
	if p == Third {
		return w.aboutUser
	}
	return w.about
}

func answerTitle(w wording, _ Person) string { return w.answer }

func projectsTitle(w wording, _ Person) string { return w.projects }
