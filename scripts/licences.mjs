// Writes app/bridge/licences.json: every Go module in the program, the data of others in
// it, and every package in the page, with its version and licence. It reads only what is
// already on this machine. With a file's name it writes the texts there instead, each
// once, below the names that it stands for.
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = dirname(dirname(fileURLToPath(import.meta.url)))

// The texts are told apart by a sentence that only one of them has.
const texts = [
  ['Apache-2.0', /Apache License\s+Version 2\.0/],
  ['MPL-2.0', /Mozilla Public License,? [Vv]ersion 2\.0/],
  ['ISC', /Permission to use, copy, modify, and\/?o?r? ?distribute this software/],
  ['MIT', /Permission is hereby granted, free of charge/],
  ['BSD-3-Clause', /Redistribution and use[\s\S]*(Neither the name|names of its contributors|name of the copyright holder)/],
  ['BSD-2-Clause', /Redistribution and use in source and binary forms/],
  ['CC0-1.0', /CC0 1\.0 Universal/],
]

function textOf(folder) {
  const file = readdirSync(folder).find((f) => /^(licen[sc]e|copying)(\.|-|$)/i.test(f))
  return file ? readFileSync(join(folder, file), 'utf8').trim() : ''
}

const licenceOf = (folder) => texts.find(([, sentence]) => sentence.test(textOf(folder)))?.[0]

function modules() {
  const args = ['list', '-deps', '-tags', 'desktop,production,webkit2_41', '-f', '{{with .Module}}{{.Path}}\t{{.Version}}\t{{.Dir}}{{end}}', '.']
  const lines = new Set()
  for (const [os, cgo] of [['linux', '1'], ['darwin', '1'], ['windows', '0']]) {
    const said = execFileSync('go', args, { cwd: root, encoding: 'utf8', env: { ...process.env, GOOS: os, CGO_ENABLED: cgo } })
    for (const line of said.split('\n')) if (line.trim()) lines.add(line)
  }
  return [...lines].map((line) => line.split('\t')).filter(([path]) => path !== 'keepsake')
    .map(([name, version, dir]) => ({ name, version, licence: licenceOf(dir), part: 'program', folder: dir }))
}

// data is what others made and the program holds beside modules.
function data() {
  const model = join(root, 'backend/embed/model')
  const [, name, version] = readFileSync(join(model, 'requirements.txt'), 'utf8').match(/^(\S+)==(\S+)/m)
  const words = readFileSync(join(root, 'backend/seal/eff_words.LICENSE'), 'utf8').trim()
  return [
    { name, version, licence: 'Apache-2.0', part: 'program', folder: model },
    { name: 'EFF large word list', version: '2016', licence: 'CC-BY-3.0-US', part: 'program', text: words },
  ]
}

// What the page is built with but does not hold is not ours to pass on.
function packages() {
  const lock = JSON.parse(readFileSync(join(root, 'frontend/package-lock.json'), 'utf8'))
  return Object.entries(lock.packages).filter(([path, p]) => path && !p.dev && !p.optional).map(([path, p]) => {
    const folder = join(root, 'frontend', path)
    const manifest = existsSync(join(folder, 'package.json')) ? JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) : {}
    return { name: path.replace(/^.*node_modules\//, ''), version: p.version, licence: p.license ?? manifest.license ?? licenceOf(folder), part: 'page', folder }
  })
}

const all = [...modules(), ...data(), ...packages(), {
  name: 'Go', version: execFileSync('go', ['env', 'GOVERSION'], { encoding: 'utf8' }).trim().replace(/^go(\d+\.\d+).*/, '$1'), licence: 'BSD-3-Clause', part: 'program',
  folder: execFileSync('go', ['env', 'GOROOT'], { encoding: 'utf8' }).trim(),
}]
const nameless = all.filter((l) => !l.licence)
if (nameless.length) {
  console.error('No licence was recognised for:', nameless.map((l) => l.name).join(', '))
  process.exit(1)
}
all.sort((a, b) => a.part.localeCompare(b.part) || (a.name < b.name ? -1 : 1))
if (process.argv[2]) {
  const names = new Map()
  for (const { name, version, licence, folder, text = textOf(folder) || licence } of all) {
    names.set(text, [...(names.get(text) ?? []), `${name} ${version} (${licence})`])
  }
  const line = '-'.repeat(72)
  writeFileSync(process.argv[2], [...names].map(([text, parts]) => `${line}\n${parts.join('\n')}\n${line}\n\n${text}\n`).join('\n'))
} else {
  writeFileSync(join(root, 'app/bridge/licences.json'), `[\n${all.map(({ folder, text, ...l }) => `  ${JSON.stringify(l)}`).join(',\n')}\n]\n`)
}
console.log(`${all.length} licences`)
