package web

import (
	"encoding/json"
	"reflect"

	"keepsake/app/bridge"
	"keepsake/backend/fault"
)

// method is one callable method of a bound struct.
type method struct {
	fn  reflect.Value
	in  []reflect.Type
	out bool // it has a result beside its error
}

// methods lists every exported method of the bound structs as "Struct.Method".
func methods(bound []any) map[string]method {
	all := map[string]method{}
	for _, b := range bound {
		value := reflect.ValueOf(b)
		name := value.Elem().Type().Name()
		for i := range value.NumMethod() {
			m := method{fn: value.Method(i)}
			for j := range m.fn.Type().NumIn() {
				m.in = append(m.in, m.fn.Type().In(j))
			}
			m.out = m.fn.Type().NumOut() == 2
			all[name+"."+value.Type().Method(i).Name] = m
		}
	}
	return all
}

// invoke decodes the arguments and calls; panics are the method's own business.
func (m method) invoke(args []json.RawMessage) (any, error) {
	if len(args) != len(m.in) {
		return nil, bridge.Wire(fault.New(fault.Invalid, "wrong-argument-count", "This call takes {want} arguments, not {got}.").
			With("want", len(m.in)).With("got", len(args)))
	}
	values := make([]reflect.Value, len(args))
	for i, raw := range args {
		value := reflect.New(m.in[i])
		if err := json.Unmarshal(raw, value.Interface()); err != nil {
			return nil, bridge.Wire(fault.New(fault.Invalid, "wrong-argument", "Argument {number} of this call has the wrong form.").
				With("number", i+1).Because(err))
		}
		values[i] = value.Elem()
	}
	results := m.fn.Call(values)
	if err, _ := results[len(results)-1].Interface().(error); err != nil {
		return nil, err
	}
	if !m.out {
		return nil, nil
	}
	return results[0].Interface(), nil
}
