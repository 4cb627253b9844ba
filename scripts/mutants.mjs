// Takes single checks and single fields out of the sealing, one at a time, and
// runs the tests: each must be missed by at least one of them. Nothing is
// written to the source; Go compiles an overlay. Words on the command line keep
// only the mutants whose name holds one of them.
import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const seal = (file) => `backend/seal/${file}.go`
const vault = (file) => `backend/vault/${file}.go`

// name, file, text that stands there exactly once, what stands there instead
const mutants = [
  ['record: format in the associated data', seal('record'), "append(s.aad[:0], 'R', '1', recordFormat)", "append(s.aad[:0], 'R', '1')"],
  ['record: collection', seal('record'), 'a = binary.BigEndian.AppendUint16(a, r.Collection)', '_ = r.Collection'],
  ['record: locator', seal('record'), 'a = field(a, r.Locator[:])', '_ = r.Locator'],
  ['record: vault id', seal('record'), 'a = field(a, s.keys.vaultID)', '_ = s.keys'],
  ['record: sequence number', seal('record'), 'a = binary.BigEndian.AppendUint64(a, r.Seq)', '_ = r.Seq'],
  ['record: created', seal('record'), 'a = binary.BigEndian.AppendUint64(a, uint64(r.Created))', '_ = r.Created'],
  ['record: revision', seal('record'), 'a = binary.BigEndian.AppendUint64(a, r.Revision)', '_ = r.Revision'],
  ['record: key version', seal('record'), 'a = binary.BigEndian.AppendUint32(a, r.KeyVersion)', '_ = r.KeyVersion'],
  ['record key: locator', seal('record'), 's.labels = append(s.labels, r.Locator[:]...)', '_ = r.Locator'],
  ['record key: collection', seal('record'), `s.labels = append(s.labels[:0], "rec"...)\n\ts.labels = binary.BigEndian.AppendUint16(s.labels, r.Collection)`, 's.labels = append(s.labels[:0], "rec"...)'],
  ['blob chunk: vault id', seal('blob'), 'field(field([]byte("B1"), b.vaultID), b.fixed)', 'field([]byte("B1"), b.fixed)'],
  ['blob chunk: fixed head', seal('blob'), 'field(field([]byte("B1"), b.vaultID), b.fixed)', 'field([]byte("B1"), b.vaultID)'],
  ['blob chunk: index', seal('blob'), 'aad = binary.BigEndian.AppendUint64(aad, index)', '_ = index'],
  ['blob chunk: last', seal('blob'), 'return append(aad, 1)', 'return append(aad, 0)'],
  ['blob head: vault id', seal('blob'), 'field(field([]byte("BH1"), b.vaultID), b.fixed)', 'field([]byte("BH1"), b.fixed)'],
  ['blob head: fixed head', seal('blob'), 'field(field([]byte("BH1"), b.vaultID), b.fixed)', 'field([]byte("BH1"), b.vaultID)'],
  ['blob: reference', seal('blob'), 'if hex.EncodeToString(body[8:]) != ref {', 'if false {'],
  ['slot: the slot in the associated data', seal('slot'), 'return field(field([]byte("S1"), vaultID), body)', '_ = body\n\treturn field([]byte("S1"), vaultID)'],
  ['slot: vault id', seal('slot'), 'return field(field([]byte("S1"), vaultID), body)', 'return field([]byte("S1"), body)'],
  ['slot: commitment', seal('slot'), 'if subtle.ConstantTimeCompare(expand(kek, id, "slot-commit"), s.Commit) != 1 {', 'if false {'],
  ['header: MAC is not checked', seal('slot'), 'if !k.Authentic(h) {', 'if false {'],
  ['header: MAC is not made from the slots', seal('header'), 'bare.MAC = nil', 'bare.MAC, bare.Slots = nil, nil'],
  ['header: MAC is not made from the generation', seal('header'), 'bare.MAC = nil', 'bare.MAC, bare.Generation = nil, 0'],
  ['header: digest', seal('header'), 'if sum := sha256.Sum256(body); !bytes.Equal(sum[:], file[len(magic)+4:headerHead]) {', 'if false {'],
  ['header: canonical form', seal('header'), 'if !bytes.Equal(h.canonical(), body) {', 'if false {'],
  ['epoch: vault id', seal('keys'), 'aad := field([]byte("E1"), k.vaultID)', 'aad := []byte("E1")'],
  ['epoch: version', seal('keys'), 'aad = binary.BigEndian.AppendUint32(aad, version)', '_ = version'],
  ['epoch: scope', seal('keys'), 'return binary.BigEndian.AppendUint16(aad, scope)', '_ = scope\n\treturn aad'],
  ['state: vault id', seal('state'), 'binary.BigEndian.AppendUint64(field([]byte("G1"), k.vaultID), generation)', 'binary.BigEndian.AppendUint64([]byte("G1"), generation)'],
  ['state: generation', seal('state'), 'binary.BigEndian.AppendUint64(field([]byte("G1"), k.vaultID), generation)', 'field([]byte("G1"), k.vaultID)'],
  ['search block: name', seal('blocks'), 'b.head...), name...)', 'b.head...))'],
  ['search block: vault id', seal('blocks'), 'field([]byte("X1"), k.vaultID)', '[]byte("X1")'],
  ['set-MAC: not compared', vault('verify'), '|| got.sum != want.Sum ', ''],
  ['set-MAC: collection', seal('manifest'), 'b := binary.BigEndian.AppendUint16(m.message[:0], r.Collection)', 'b := m.message[:0]'],
  ['set-MAC: sequence number', seal('manifest'), 'b = binary.BigEndian.AppendUint64(b, r.Seq)', '_ = r.Seq'],
  ['set-MAC: locator', seal('manifest'), 'b = append(b, r.Locator[:]...)', '_ = r.Locator'],
  ['set-MAC: revision', seal('manifest'), 'b = binary.BigEndian.AppendUint64(b, r.Revision)', '_ = r.Revision'],
  ['set-MAC: key version', seal('manifest'), 'b = binary.BigEndian.AppendUint32(b, r.KeyVersion)', '_ = r.KeyVersion'],
  ['set-MAC: tag', seal('manifest'), 'b = append(b, value[len(value)-tagSize:]...)', '_ = value'],
  ['counts: records', vault('verify'), 'got.records != want.Records || ', ''],
  ['counts: links', vault('verify'), 'got.links != want.Links || ', ''],
  ['counts: next number', vault('verify'), ' || got.last >= want.Next', ''],
  ['counts: epochs', vault('verify'), 'if perEpoch[e.Version] != e.Values {', 'if false {'],
  ['index: not compared', vault('verify'), 'if n != total.records || pairs != total.pairs {', 'if false && (n != total.records || pairs != total.pairs) {'],
  ['strange buckets', vault('verify'), 'if !own[string(name)] {', 'if false {'],
  ['old header', vault('open'), 'if used.h.Generation < s.HeaderGeneration {', 'if false {'],
  ['header generation of a change', vault('headers'), 'tx.st.HeaderGeneration = h.Generation', '_ = h'],
  ['journal: vault id', seal('chain'), 'head := field([]byte("J1"), k.vaultID)', 'head := []byte("J1")'],
  ['journal: file', seal('chain'), 'head: binary.BigEndian.AppendUint64(head, file)', 'head: head'],
  ['journal key: file', seal('chain'), 'label := binary.BigEndian.AppendUint64([]byte("journal"), file)', 'label := []byte("journal")'],
  ['journal: frame number', seal('chain'), 'aad = binary.BigEndian.AppendUint64(aad, c.next)', '_ = c.next'],
  ['journal: generation', seal('chain'), 'aad = binary.BigEndian.AppendUint64(aad, generation)', '_ = generation'],
  ['journal: tag of the frame before', seal('chain'), 'return append(aad, c.tag[:]...)', 'return aad'],
  ['journal: the chain stays where it is', seal('chain'), 'copy(c.tag[:], sealed[len(sealed)-tagSize:])', '_ = sealed'],
  ['journal: generations need not follow', vault('journal'), 'if fr.generation != j.last+1 {', 'if false {'],
  ['vault.gen: vault id, sealed', seal('chain'), 'k.cipher.sealWith(key, plain, field([]byte("V1"), k.vaultID))', 'k.cipher.sealWith(key, plain, []byte("V1"))'],
  ['vault.gen: vault id, opened', seal('chain'), 'k.cipher.openWith(key, value[1:], field([]byte("V1"), k.vaultID))', 'k.cipher.openWith(key, value[1:], []byte("V1"))'],
  ['generation: not compared', vault('catchup'), 'case confirmed > s.Generation:', 'case false:'],
  ['generation: digest not compared', vault('catchup'), 'case confirmed == s.Generation && known != digest:', 'case false && known != digest:'],
  ['snapshot: generation not compared', vault('snapshot'), 'if s.Generation != generation {', 'if false {'],
  ['recovery: old header', vault('recover'), 'if r.header.h.Generation < s.HeaderGeneration {', 'if false {'],
  ['recovery: generation reached', vault('recover'), 'if s.Generation != reached {', 'if false {'],
  ['recovery: another history is gone on from', vault('recover'), 'if r.lost(s.Generation) == 0 {', 'if false {'],
  ['recovery: what loses less is not taken', vault('recover'), 'own.result.Lost < r.result.Lost', 'false'],
  ['recovery: the set is not proved', vault('recover'), 'return verify(bt, r.keys, s)', 'return nil'],
  ['a change given up stays usable', vault('open'), 'if newest > h.Generation {', 'if false {'],
]

const folder = mkdtempSync(join(tmpdir(), 'keepsake-mutants-'))
process.on('exit', () => rmSync(folder, { recursive: true, force: true }))

function test(overlay, pkg, ...more) {
  return new Promise((done) => {
    execFile('go', ['test', '-vet=off', '-overlay', overlay, '-failfast', '-count=1', '-timeout', '20m', ...more, pkg],
      { cwd: root, maxBuffer: 1 << 26 }, (error, stdout, stderr) => done(error ? stdout + stderr : ''))
  })
}

// What takes minutes is only asked where nothing quicker notices, and the tests
// of attacks and of what is left of a vault notice most.
const near = 'StateMustFit|RecordAttacks|BlobAttacks|AttacksOn|Journal|Recover|Snapshot|Kept|FormatPage|OldHeader|Behind|BesideTheData|GoneOnFrom'
const slow = 'Killed|RekeyStopped|RotationStopped|DiskFull|UpgradeOfTheKDF|DamageSweep|PowerCuts|FailingCalls|DisksOfEverySize|JobsStoppedAnywhere'
const runs = [['./backend/seal', '-skip', 'Argon2|Presets'], ['./backend/vault', '-run', near, '-skip', slow], ['./backend/vault', '-skip', slow], ['./backend/vault', '-run', slow]]

// killed is the first test that fails, "" where none does. A mutant that does
// not compile proves nothing.
async function killed([name, file, from, to], n) {
  const source = readFileSync(join(root, file), 'utf8')
  if (source.split(from).length !== 2) throw new Error(`${name}: its text stands in ${file} ${source.split(from).length - 1} times`)
  const changed = join(folder, `${n}.go`)
  const overlay = join(folder, `${n}.json`)
  writeFileSync(changed, source.replace(from, () => to))
  writeFileSync(overlay, JSON.stringify({ Replace: { [join(root, file)]: changed } }))
  for (const [pkg, ...more] of runs) {
    const said = await test(overlay, pkg, ...more)
    if (/build failed|setup failed/.test(said)) throw new Error(`${name} does not compile:\n${said}`)
    if (said) return said.match(/--- FAIL: (\S+)/)?.[1] ?? 'a crash'
  }
  return ''
}

const words = process.argv.slice(2)
let left = 0
let done = 0
for (const [n, mutant] of mutants.entries()) {
  if (words.length && !words.some((w) => mutant[0].includes(w))) continue
  done++
  const by = await killed(mutant, n)
  if (!by) left++
  console.log(`${by ? 'noticed' : 'MISSED '}  ${mutant[0]}${by ? `: ${by}` : ''}`)
}
console.log(`${done} mutants, ${left} missed`)
process.exitCode = left ? 1 : 0
