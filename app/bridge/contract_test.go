package bridge_test

import (
	"encoding/json"
	"errors"
	"math"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
	"time"

	"keepsake/app/bridge"
	"keepsake/backend/fault"
)

// methods calls visit for every method that a page can call.
func methods(b *bridge.Bridge, visit func(name string, method reflect.Value)) {
	for _, bound := range b.Bound() {
		value := reflect.ValueOf(bound)
		for i := range value.NumMethod() {
			name := value.Elem().Type().Name() + "." + value.Type().Method(i).Name
			visit(name, value.Method(i))
		}
	}
}

var (
	errorType   = reflect.TypeFor[error]()
	contextType = "context.Context"
)

// A shell that finds more results drops them, a variadic call never settles,
// and a context becomes an argument that the page cannot give.
func TestEveryMethodHasTheShapeThatShellsCarry(t *testing.T) {
	methods(bridge.NewBroken(), func(name string, method reflect.Value) {
		m := method.Type()
		if m.IsVariadic() || m.NumOut() == 0 || m.NumOut() > 2 || m.Out(m.NumOut()-1) != errorType {
			t.Errorf("%s is %v; it must return (T, error) or error", name, m)
		}
		for i := range m.NumIn() {
			if m.In(i).String() == contextType {
				t.Errorf("%s takes a context", name)
			}
			checkPlain(t, name, m.In(i), nil)
		}
		if m.NumOut() == 2 {
			checkPlain(t, name, m.Out(0), nil)
		}
	})
}

// checkPlain refuses types that lose something on the way to a page, or that
// its shell cannot write at all.
func checkPlain(t *testing.T, where string, typ reflect.Type, seen []reflect.Type) {
	t.Helper()
	for _, s := range seen {
		if s == typ {
			t.Errorf("%s: %v holds itself", where, typ)
			return
		}
	}
	seen = append(seen, typ)
	switch typ.Kind() {
	case reflect.String, reflect.Bool, reflect.Int, reflect.Int64, reflect.Float64:
	case reflect.Slice, reflect.Pointer:
		checkPlain(t, where, typ.Elem(), seen)
	case reflect.Map:
		if typ.Key().Kind() != reflect.String {
			t.Errorf("%s: %v has keys that are no strings", where, typ)
		}
		checkPlain(t, where, typ.Elem(), seen)
	case reflect.Struct:
		for i := range typ.NumField() {
			field := typ.Field(i)
			if field.Tag.Get("json") == "" {
				t.Errorf("%s: %v.%s has no name on the page's side", where, typ, field.Name)
			}
			checkPlain(t, where+"."+field.Name, field.Type, seen)
		}
	default:
		t.Errorf("%s: %v must not cross the bridge", where, typ)
	}
}

// A panic would leave the page waiting for ever.
func TestEveryMethodTurnsAPanicIntoAFault(t *testing.T) {
	methods(bridge.NewBroken(), func(name string, method reflect.Value) {
		args := make([]reflect.Value, method.Type().NumIn())
		for i := range args {
			args[i] = reflect.Zero(method.Type().In(i))
		}
		results := method.Call(args)
		err, _ := results[len(results)-1].Interface().(error)
		if err == nil {
			t.Errorf("%s succeeded without anything behind it", name)
			return
		}
		var view bridge.FaultView
		if json.Unmarshal([]byte(err.Error()), &view) != nil || view.Code == "" || view.Message == "" || view.Args == nil {
			t.Errorf("%s: the error %q is no fault in JSON", name, err)
		}
	})
}

func TestAFaultKeepsItsWordsOnTheWay(t *testing.T) {
	f := fault.New(fault.TooLarge, "some-reason", "{name} is over {limit}.").With("name", "a.zip").With("limit", 3).Advise("Take {name} apart.")
	err := bridge.Wire(f)
	if !errors.Is(err, f) {
		t.Error("the fault is not inside")
	}
	var got bridge.FaultView
	if err := json.Unmarshal([]byte(err.Error()), &got); err != nil {
		t.Fatal(err)
	}
	want := bridge.FaultView{
		Code: "too_large", Reason: "some-reason", Message: "a.zip is over 3.", Hint: "Take a.zip apart.",
		Args: map[string]string{"name": "a.zip", "limit": "3"},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

func TestAnErrorShowsNothingOfItsCause(t *testing.T) {
	err := bridge.Wire(errors.New("the secret of /home/somebody"))
	if strings.Contains(err.Error(), "secret") {
		t.Errorf("%v", err)
	}
}

// A value that cannot be written as JSON ends the whole program, and null
// where the page expects a list breaks it.
func TestWhateverTheServiceGivesCanBeWritten(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for name, conversion := range bridge.Conversions() {
		fn := reflect.ValueOf(conversion)
		for round := range 200 {
			args := make([]reflect.Value, fn.Type().NumIn())
			for i := range args {
				args[i] = reflect.New(fn.Type().In(i)).Elem()
				if round > 0 {
					fill(args[i], random, 0)
				}
			}
			if fn.Type().In(0).Kind() == reflect.Pointer && args[0].IsNil() && name == "fault" {
				continue
			}
			text, err := json.Marshal(fn.Call(args)[0].Interface())
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if strings.Contains(string(text), ":null") || strings.Contains(string(text), "[null") {
				t.Fatalf("%s wrote null: %.300s", name, text)
			}
		}
	}
}

var nasty = []string{"", "plain", "\xff\xfe", "\u202e\u0000", strings.Repeat("é", 3000), `"</script>`}

// fill sets v to something a vault could hold, or should not.
func fill(v reflect.Value, random *rand.Rand, depth int) {
	if v.Type() == reflect.TypeFor[time.Time]() {
		v.Set(reflect.ValueOf(time.Unix(random.Int64N(1<<33), 0)))
		return
	}
	switch v.Kind() {
	case reflect.String:
		v.SetString(nasty[random.IntN(len(nasty))])
	case reflect.Bool:
		v.SetBool(random.IntN(2) == 0)
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		v.SetInt(random.Int64N(1 << 20))
	case reflect.Uint8, reflect.Uint32, reflect.Uint64:
		v.SetUint(random.Uint64N(200))
	case reflect.Float64:
		v.SetFloat([]float64{0.5, math.NaN(), math.Inf(1), -7, 1e300}[random.IntN(5)])
	case reflect.Pointer:
		if random.IntN(3) > 0 && depth < 6 {
			v.Set(reflect.New(v.Type().Elem()))
			fill(v.Elem(), random, depth+1)
		}
	case reflect.Slice:
		fillSlice(v, random, depth)
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
		for range random.IntN(4) {
			key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
			fill(key, random, depth+1)
			fill(value, random, depth+1)
			v.SetMapIndex(key, value)
		}
	case reflect.Interface:
		if v.NumMethod() == 0 {
			v.Set(reflect.ValueOf([]any{"text", math.NaN(), map[string]any{"a": 1}, make(chan int)}[random.IntN(4)]))
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Field(i).CanSet() {
				fill(v.Field(i), random, depth+1)
			}
		}
	}
}

func fillSlice(v reflect.Value, random *rand.Rand, depth int) {
	n := random.IntN(4)
	if n == 0 || depth > 8 {
		return // stays nil
	}
	v.Set(reflect.MakeSlice(v.Type(), n, n))
	for i := range n {
		fill(v.Index(i), random, depth+1)
	}
}
