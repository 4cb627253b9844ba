package bridge

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"runtime"
	"strings"

	"keepsake/backend/fault"
)

// wireError carries a fault to the page as one JSON document.
type wireError struct {
	fault *fault.Error
}

func (e *wireError) Error() string {
	text, err := json.Marshal(faultView(e.fault))
	if err != nil {
		return `{"code":"internal","reason":"internal","message":"","hint":"","args":{}}`
	}
	return string(text)
}

func (e *wireError) Unwrap() error { return e.fault }

// call runs one method for the page. A panic becomes a fault, because the
// window would leave its promise pending for ever.
func call[T any](k *kit, op func(ctx context.Context) (T, error)) (result T, err error) {
	defer func() {
		if p := recover(); p != nil {
			var none T
			result, err = none, &wireError{recovered(p)}
		}
	}()
	k.core.Called()
	result, err = op(k.ctx)
	if err != nil {
		var none T
		return none, Wire(err)
	}
	return result, nil
}

// show is call for what is shown by a view of it.
func show[T, V any](k *kit, view func(T) V, get func(ctx context.Context) (T, error)) (V, error) {
	return call(k, func(ctx context.Context) (V, error) {
		got, err := get(ctx)
		return view(got), err
	})
}

// do is call for methods without a result.
func do(k *kit, op func(ctx context.Context) error) error {
	_, err := call(k, func(ctx context.Context) (struct{}, error) { return struct{}{}, op(ctx) })
	return err
}

// Wire makes the error of a call: a fault whose text is one JSON document.
func Wire(err error) error {
	f := fault.From(err)
	if f.Code == fault.Internal {
		slog.Error("call failed", "reason", f.Reason, "type", fmt.Sprintf("%T", errors.Unwrap(f)))
	}
	return &wireError{f}
}

// shownFrames is how many places of the program a logged panic names.
const shownFrames = 6

// recovered says where a panic came from, never what it carried: a value could
// hold content of the vault.
func recovered(p any) *fault.Error {
	pcs := make([]uintptr, 32)
	frames := runtime.CallersFrames(pcs[:runtime.Callers(3, pcs)])
	var at []string
	for more := true; more && len(at) < shownFrames; {
		var frame runtime.Frame
		frame, more = frames.Next()
		if !strings.HasPrefix(frame.Function, "runtime.") {
			at = append(at, fmt.Sprintf("%s:%d", frame.Function, frame.Line))
		}
	}
	slog.Error("call panicked", "type", fmt.Sprintf("%T", p), "at", strings.Join(at, " < "))
	return fault.From(fmt.Errorf("panic of type %T", p))
}

func faultView(f *fault.Error) FaultView {
	return FaultView{Code: string(f.Code), Reason: f.Reason, Message: f.Message(), Hint: f.Advice(), Args: places(f.Args)}
}

// places are values for the places of a text; the result is never nil.
func places(args map[string]string) map[string]string {
	if args == nil {
		return map[string]string{}
	}
	return maps.Clone(args)
}

func faultViewOrNil(f *fault.Error) *FaultView {
	if f == nil {
		return nil
	}
	v := faultView(f)
	return &v
}
