import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { commitSchema } from '../../../shared/config/settings.ts'
import { sourceCommit } from '../../../shared/packaging/source-commit.ts'

let root: string
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'svc-commit-'))
})
afterEach(() => rmSync(root, { recursive: true }))

const git = (...args: string[]) =>
  execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@example.com', ...args], {
    cwd: root,
    encoding: 'utf8',
    // Ignores the settings of the developer, such as signed commits.
    env: { PATH: process.env.PATH, GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_SYSTEM: '/dev/null' },
  })
const write = (path: string, text: string) => writeFileSync(join(root, path), text)

/** Makes the folder a checkout with one commit, and returns the commit. */
function committed(): string {
  git('init', '-q')
  write('.gitignore', 'ignored\n')
  write('source.ts', 'one')
  git('add', '-A')
  git('commit', '-qm', 'one')
  return git('rev-parse', 'HEAD').trim()
}

it('is the commit of a clean checkout, in which ignored files do not count', async () => {
  const commit = committed()
  write('ignored', 'built')
  expect(await sourceCommit(root)).toBe(commit)
  expect(commitSchema.parse(commit)).toBe(commit)
})

it.each([
  ['changed', () => write('source.ts', 'two')],
  [
    'staged',
    () => {
      write('source.ts', 'two')
      git('add', '-A')
    },
  ],
  ['deleted', () => rmSync(join(root, 'source.ts'))],
  ['untracked', () => write('new.ts', 'new')],
])('is marked as dirty if a file is %s', async (_what, change) => {
  const commit = committed()
  change()
  expect(await sourceCommit(root)).toBe(`${commit}-dirty`)
  expect(commitSchema.parse(`${commit}-dirty`)).toBe(`${commit}-dirty`)
})

it('is unknown outside of a checkout, and before the first commit', async () => {
  expect(await sourceCommit(root)).toBe('unknown')
  git('init', '-q')
  expect(await sourceCommit(root)).toBe('unknown')
})

it('is unknown for sources that were unpacked inside of another checkout', async () => {
  committed()
  const unpacked = join(root, 'ignored')
  mkdirSync(unpacked)
  expect(await sourceCommit(unpacked)).toBe('unknown')
})
