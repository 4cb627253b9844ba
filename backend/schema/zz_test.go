package schema
import ("testing";"os";"fmt")
func TestZZ(t *testing.T) { raw,_ := os.ReadFile("/tmp/mem.json"); s,_ := Compile(); fmt.Println(s.CheckMemory(raw)) }
func BenchmarkCheck(b *testing.B) { raw,_ := os.ReadFile("/tmp/mem.json"); s,_ := Compile(); b.ReportAllocs(); for b.Loop() { s.CheckMemory(raw) } }
