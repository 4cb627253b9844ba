// Asks Ajv (JSON Schema Draft 2020-12) about documents. Arguments: the folder of
// our schemas, then files: *.jsonl holds mutants, one a line, with our verdict;
// any other is a document that must be valid. Standard output: one JSON document
// with what Ajv has to say.
import Ajv2020 from 'ajv/dist/2020.js'
import { createReadStream, readFileSync, readdirSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { join } from 'node:path'

const [schemas, ...files] = process.argv.slice(2)
// format is an annotation in Draft 2020-12; strict refuses a schema with a mistake.
const ajv = new Ajv2020({ strict: true, strictTypes: false, strictRequired: false, validateFormats: false, allErrors: true })
const of = {}
for (const name of readdirSync(schemas).filter((n) => n.endsWith('.schema.json'))) {
  const schema = JSON.parse(readFileSync(join(schemas, name), 'utf8'))
  of[schema.properties.schema?.const] = ajv.compile(schema) // other formats name no kind, and are well made too
}

const said = { documents: 0, issues: [], mutants: 0, valid: 0, differ: [] }
for (const file of files) {
  if (!file.endsWith('.jsonl')) {
    const document = JSON.parse(readFileSync(file, 'utf8'))
    const check = of[document.schema]
    said.documents++
    if (!check(document)) said.issues.push(`${file}: ${ajv.errorsText(check.errors)}`)
    continue
  }
  for await (const line of createInterface({ input: createReadStream(file) })) {
    const mutant = JSON.parse(line)
    said.mutants++
    const valid = of[mutant.kind](mutant.document)
    if (valid) said.valid++
    if (valid !== mutant.valid && said.differ.push(mutant) > 10) said.differ.length = 10
  }
}
console.log(JSON.stringify(said))
