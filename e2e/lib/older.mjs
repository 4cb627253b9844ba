// An older version of the program, to be upgraded: a commit of this repository as it was,
// with a lower number.
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { results, root } from './program.mjs'

const commit = '763eaf06' // the last one whose packages were never upgraded
export const olderVersion = '0.0.9'

// olderTree returns its folder, made once in build/test. What its scripts make lies in it.
export function olderTree() {
  const folder = join(results, 'older')
  if (existsSync(folder)) return folder
  const part = `${folder}.part`
  rmSync(part, { recursive: true, force: true })
  execFileSync('git', ['clone', '-q', '--no-checkout', root, part])
  execFileSync('git', ['checkout', '-q', commit], { cwd: part })
  const file = join(part, 'backend/core/library/version.go')
  writeFileSync(file, readFileSync(file, 'utf8').replace(/^const Version = ".*"$/m, `const Version = "${olderVersion}"`))
  renameSync(part, folder)
  return folder
}
