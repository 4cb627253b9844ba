package bridge

import (
	"context"
	"crypto/rand"
	"sync"

	"keepsake/backend/core"
	"keepsake/backend/fault"
)

// forgetPlan is the selection that a person looks at. The ids stay here: there
// may be many, and what is forgotten must be what was shown.
type forgetPlan struct {
	mu    sync.Mutex
	token string
	plan  core.ForgetPlan
}

func (p *forgetPlan) put(plan core.ForgetPlan) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	plan.Sample, plan.Near = nil, nil
	p.token, p.plan = rand.Text(), plan
	return p.token
}

func (p *forgetPlan) get(token string) (core.ForgetPlan, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if token == "" || token != p.token {
		return core.ForgetPlan{}, fault.New(fault.NotFound, "forget-plan-gone", "This selection is no longer at hand, so nothing was forgotten.").
			Advise("Select it again.")
	}
	return p.plan, nil
}

// PlanForget says what forgetting would take. Nothing is forgotten yet.
func (c *Care) PlanForget(query ForgetQueryView) (ForgetPlanView, error) {
	return call(c.k, func(ctx context.Context) (ForgetPlanView, error) {
		q, err := forgetQuery(query)
		if err != nil {
			return ForgetPlanView{}, err
		}
		plan, err := c.k.core.PlanForget(ctx, q)
		if err != nil {
			return ForgetPlanView{}, err
		}
		view := forgetPlanView(plan)
		view.ID = c.plan.put(plan)
		return view, nil
	})
}

func forgetQuery(v ForgetQueryView) (core.ForgetQuery, error) {
	before, err := instant(v.Before)
	if err != nil {
		return core.ForgetQuery{}, err
	}
	q := core.ForgetQuery{IDs: v.IDs, Before: before, Also: v.Also}
	if v.Library != nil {
		library, err := memoryQuery(*v.Library)
		if err != nil {
			return q, err
		}
		q.Library = &library
	}
	return q, nil
}

// Forget takes what a plan selected out of the vault for good.
func (c *Care) Forget(planID string) (ReceiptView, error) {
	return call(c.k, func(ctx context.Context) (ReceiptView, error) {
		plan, err := c.plan.get(planID)
		if err != nil {
			return ReceiptView{}, err
		}
		receipt, err := c.k.core.Forget(ctx, plan.Memories, plan.Conversations)
		return receiptView(receipt), err
	})
}

// Receipts lists what was forgotten in the last thirty days, the newest first,
// at most 200. They hold nothing of it.
func (c *Care) Receipts() ([]ReceiptView, error) {
	return call(c.k, func(ctx context.Context) ([]ReceiptView, error) {
		all, err := c.k.core.Receipts(ctx)
		return list(first(all), receiptView), err
	})
}
