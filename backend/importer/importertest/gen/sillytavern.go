package gen

import (
	"bytes"
	"maps"
)

// sillyLine is a message of a chat of SillyTavern.
func sillyLine(name string, isUser bool, sent any, mes string, more object) object {
	o := object{"name": name, "is_user": isUser, "is_system": false, "send_date": sent, "mes": mes, "extra": object{}}
	maps.Copy(o, more)
	return o
}

// SillyTavern makes a chat with versions and all forms of times, a branch of it, and a
// chat of a group.
func SillyTavern() []Layer {
	head := object{"user_name": "Robin", "character_name": "Alice", "create_date": "2026-06-01@10h00m00s", "chat_metadata": object{"note_prompt": "Be kind."}}
	swiped := object{"swipes": []any{"Hi.", "Good day."}, "swipe_id": 1, "swipe_info": []any{object{"send_date": "June 1, 2026 9:59am", "extra": object{"model": "m-1"}}, object{"send_date": "June 1, 2026 10:00am"}}}
	thinking := object{"extra": object{"reasoning": "Tea, then.", "model": "m-2", "image": "user/images/Alice/tea.png"}, "gen_started": "2026-06-01T10:01:01.000Z"}
	rows := []any{head, sillyLine("Alice", false, "June 1, 2026 10:00am", "Good day.", swiped), sillyLine("Robin", true, "2026-06-01@10h01m00s", "Make some tea", nil),
		sillyLine("Alice", false, "2026-06-01T10:01:05.000Z", "Here you are.", thinking), sillyLine("Narrator", false, 1780308100000, "It rains.", object{"is_system": true})}
	chat := bytes.TrimSuffix(lines(rows...), []byte("\n"))
	branch := lines(append(rows[:3:3], sillyLine("Alice", false, "2026-06-01T10:05:00.000Z", "Coffee it is.", nil))...)
	group := lines(object{"user_name": "unused", "character_name": "unused", "chat_metadata": object{"integrity": "0f3a"}},
		sillyLine("Alice", false, "2026-06-01T10:00:00.000Z", "Hello.", nil), sillyLine("Bob", false, "2026-06-01T10:00:05.000Z", "Hello, too.", nil), sillyLine("Robin", true, "2026-06-01T10:01:00.000Z", "Who is first", nil),
		object{"quite_new": 1})
	return []Layer{
		talks("sillytavern", "chat", "Alice - 2026-06-01.jsonl", chat, 5+1, 1),
		talks("sillytavern", "branch", "Branch #1.jsonl", branch, 4, 1),
		talks("sillytavern", "group", "1780308000000.jsonl", group, 3+1, 1),
	}
}
