package bridge

import "context"

// Conversions are all functions from what the service gives to what a page gets.
func Conversions() map[string]any {
	return map[string]any{
		"vault": vaultView, "plan": planView, "report": reportView, "memories": memoryPageView,
		"facets": facetsView, "memory": memoryView, "change": changeView, "head": headView,
		"thread": threadView, "further": furtherView, "preview": exportPreviewView, "mif preview": mifPreviewView, "todo": todoView, "exported": exportResultView, "compared": compareView, "merged": mergedView,
		"verified": verifyView, "fault": faultView, "rotation": rotationView,
		"copies": copiesView, "check": checkView, "diagnosis": diagnosisView, "forget": forgetPlanView, "signer": signerView, "key": keyReadingView, "log": logPageView, "past": pastExportView, "handoff": handoffView, "handoff target": handoffTargetView, "findings": findingsView, "type": typeView, "undo": undoView, "history": historyView, "graph": graphView, "insights": insightsView,
	}
}

// NewBroken is a bridge on which every call panics.
func NewBroken() *Bridge {
	k := &kit{ctx: context.Background()}
	return &Bridge{
		Vault: &Vault{k}, Imports: &Imports{k}, Library: &Library{k},
		Conversations: &Conversations{k: k}, Search: &Search{k: k}, Exports: &Exports{k}, Handoffs: &Handoffs{k}, Settings: &Settings{k}, Keys: &Keys{k: k}, Care: &Care{k: k}, Inbox: &Inbox{k}, Todos: &Todos{k}, Signers: &Signers{k}, Clients: &Clients{k: k}, Portrait: &Portrait{k}, kit: k,
	}
}

var (
	CheckLink = checkLink
	Clip      = clip
	Sniff     = sniff
)

// Latest is what each asker asked last.
type Latest = latest

// Begin begins a question of an asker and reports when it is stopped.
func Begin(l *Latest, asker string) (stopped func() bool, end func()) {
	ctx, end := l.begin(context.Background(), asker)
	return func() bool { return ctx.Err() != nil }, end
}
