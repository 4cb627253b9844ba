package gen

import (
	"bytes"
	"maps"
	"slices"
)

// openCode is a session of opencode before it is written down: info, and messages with
// their parts.
type openCode struct {
	info     object
	messages []object
}

// openCodeSession makes a session with a thought, a call, a file, text of the program and
// a part of an unknown kind.
func openCodeSession(id string) openCode {
	message := func(n, role string, more object, parts ...any) object {
		info := object{"id": "msg_" + id + n, "sessionID": "ses_" + id, "role": role, "time": object{"created": 1771564410200 + int(n[0])}}
		maps.Copy(info, more)
		for i, p := range parts {
			p.(object)["id"] = "prt_" + id + n + string(rune('a'+i))
			p.(object)["messageID"], p.(object)["sessionID"] = info["id"], info["sessionID"]
		}
		return object{"info": info, "parts": parts}
	}
	answered := object{"modelID": "claude-x", "providerID": "anthropic", "parentID": "msg_" + id + "1", "cost": 0.01, "path": object{"cwd": "/home/robin/tea"}}
	return openCode{object{"id": "ses_" + id, "title": "Mend\nthe kettle", "projectID": "global", "directory": "/home/robin/tea", "version": "1.1.3", "time": object{"created": 1771564410206, "updated": 1771564420206}}, []object{
		message("1", "user", object{"agent": "build", "model": object{"providerID": "anthropic", "modelID": "claude-x"}}, object{"type": "text", "text": "Mend the kettle"},
			object{"type": "text", "text": "Called the Read tool", "synthetic": true}, object{"type": "file", "mime": "image/png", "filename": "kettle.png", "url": Picture}),
		message("2", "assistant", answered, object{"type": "step-start"}, object{"type": "reasoning", "text": "Let me look."},
			object{"type": "tool", "tool": "bash", "callID": "c1", "state": object{"status": "completed", "input": object{"command": "ls"}, "output": "kettle.go", "title": "ls", "metadata": object{"exit": 0}}},
			object{"type": "text", "text": "It is mended."}, object{"type": "quite-new", "value": 1}, object{"type": "step-finish", "tokens": object{"input": 3}}),
		message("3", "user", nil, object{"type": "text", "text": "Thank you.", "synthetic": false}),
		message("4", "user", nil, object{"type": "text", "text": "The following tool was run by the user", "synthetic": true}),
	}}
}

func (s openCode) exported() []byte { return toJSON(object{"info": s.info, "messages": s.messages}) }

// stored are the files of the folder storage.
func (s openCode) stored() (files []File) {
	id := s.info["id"].(string)
	files = append(files, File{Name: "storage/session/global/" + id + ".json", Data: toJSON(s.info)})
	for _, m := range s.messages {
		info := m["info"].(object)
		files = append(files, File{Name: "storage/message/" + id + "/" + info["id"].(string) + ".json", Data: toJSON(info)})
		for _, p := range m["parts"].([]any) {
			files = append(files, File{Name: "storage/part/" + info["id"].(string) + "/" + p.(object)["id"].(string) + ".json", Data: toJSON(p)})
		}
	}
	return files
}

// OpenCode makes an export, one whose output was redirected with its first line, and the
// folder of older versions with the session of a subagent, notes and keys.
func OpenCode() []Layer {
	one, sub := openCodeSession("one"), openCodeSession("sub")
	sub.info["parentID"] = "ses_one"
	const records = 3 + 1 + 1 // messages, a thought, one that is the program's
	redirected := slices.Concat([]byte("Exporting session: ses_one"), one.exported())
	folder := append(one.stored(), sub.stored()...)
	folder = append(folder, File{Name: "auth.json", Data: toJSON(object{"anthropic": object{"type": "api", "key": OpenCodeSecret}})},
		File{Name: "storage/project/global.json", Data: toJSON(object{"id": "global", "worktree": "/"})}, File{Name: "storage/session_diff/ses_one.json", Data: []byte("[]")})
	slices.SortFunc(folder, func(a, b File) int { return bytes.Compare([]byte(a.Name), []byte(b.Name)) })
	// Of the folder each part is a file: one that is cut takes only itself out of its session.
	storage := Layer{Reader: "opencode", Name: "storage", Talks: 1, Records: records + 1 + 3, Rows: true, Unread: []string{"auth.json", "global.json"}, Files: []File{{Name: "opencode.zip", Data: Zip(folder)}}}
	return []Layer{talks("opencode", "export", "session.json", one.exported(), records, 1), talks("opencode", "redirected", "session.txt", redirected, records, 1), storage}
}

// OpenCodeSecret stands where opencode keeps its keys; it must never be kept.
const OpenCodeSecret = "sk-opencode-secret"
