import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'

const root = fileURLToPath(new URL('../..', import.meta.url))
const page = readFileSync(join(root, 'test/conformance/README.md'), 'utf8')

const rows = page
  .split('\n')
  .filter((line) => line.startsWith('|') && !/^\| (Clause |-)/.test(line))
  .map((line) => line.slice(1, -1).split(' | '))
  .map((cells) => cells.map((cell) => cell.trim()))
  .map(([clause = '', , tests = '', status = '', ...more]) => ({ clause, tests, status, more }))

/** Names of the decisions, by section, in order. */
const decisions = readFileSync(join(root, 'test/conformance/decisions.txt'), 'utf8')
  .trim()
  .split('\n')

/** Path of the decisions page, which is not part of this repository; undefined if it is not available. */
const pageOfDecisions = process.env['SVC_DECISIONS']

function topicsOf(text: string): string[] {
  let section = ''
  return text.split('\n').flatMap((line) => {
    section = /^#+ ([^,]+)/.exec(line)?.[1]?.trim() ?? section
    const topic = /^\| (.+?) \| /.exec(line)?.[1] ?? 'Topic'
    return ['Topic', 'Limit'].includes(topic) ? [] : [`${section} · ${topic}`]
  })
}

const clausesOf = (found: typeof rows) => found.map(({ clause }) => clause)
const filesOf = ({ tests }: { tests: string }) =>
  tests === '—' ? [] : tests.split('<br>').map((name) => name.replace(/^`(.+)`$/, '$1'))
const isCovered = ({ status }: { status: string }) => status.startsWith('covered')

describe('the conformance table', () => {
  it('has rows of four cells, with unique clauses', () => {
    const odd = rows.filter(({ status, more }) => status === '' || more.length > 0)
    expect(clausesOf(odd)).toEqual([])
    expect(new Set(clausesOf(rows)).size).toBe(rows.length)
    expect(rows.length).toBeGreaterThan(300)
  })

  it('names only existing test files', () => {
    const names = new Set(rows.flatMap(filesOf))
    const absent = [...names].filter(
      (name) => !/^test\/.+\.test\.ts$/.test(name) || !existsSync(join(root, name)),
    )
    expect(absent).toEqual([])
  })

  it('names a test in every covered row', () => {
    const bare = rows.filter((row) => isCovered(row) && filesOf(row).length === 0)
    expect(clausesOf(bare)).toEqual([])
  })

  it('marks each row as covered or open, and decisions as decided here', () => {
    const wrong = rows.filter(({ clause, status }) => {
      const [state = '', ...note] = status.split(' · ')
      const decided = clause.startsWith('decisions · ') ? ['decided here'] : []
      return !/^(covered|open(: \S.*)?)$/.test(state) || note.join() !== decided.join()
    })
    expect(clausesOf(wrong)).toEqual([])
  })

  it('has a row for each decision, in order', () => {
    const own = clausesOf(rows).map((clause) => clause.replace(/^decisions · /, ''))
    expect(own.filter((name) => decisions.includes(name))).toEqual(decisions)
  })

  it.skipIf(pageOfDecisions === undefined)('lists every row of the decisions page', () => {
    expect(topicsOf(readFileSync(pageOfDecisions!, 'utf8'))).toEqual(decisions)
  })

  it('states the correct row counts', () => {
    const covered = rows.filter(isCovered).length
    const open = rows.length - covered
    expect(page).toContain(`\n${rows.length} rows: ${covered} covered, ${open} open.\n`)
  })
})
