import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { type Campaign, campaignOf, CAMPAIGNS } from '../nightly/campaigns.ts'
import { FailedSeeds } from '../nightly/failed-seeds.ts'
import { cut, isWithin, leftOf, replaysOf, union } from '../nightly/pieces.ts'
import { outcomeOf } from '../nightly/play-piece.ts'
import { type Finished, parseProgress } from '../nightly/progress.ts'
import { slope } from '../nightly/slope.ts'
import { status } from '../nightly/status.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

const plan = { name: 'money', planned: 600, perPiece: 250 }
const MONEY: Campaign = { ...campaignOf('money'), ...plan }

const finished = (first: number, count: number, more: Partial<Finished> = {}): Finished => ({
  campaign: 'money',
  first,
  count,
  passed: true,
  seconds: 60,
  commit: 'abc1234',
  date: '2026-11-25T10:00:00.000Z',
  figures: {},
  ...more,
})

describe('campaigns', () => {
  it('have unique names', () => {
    expect(new Set(CAMPAIGNS.map(({ name }) => name)).size).toBe(CAMPAIGNS.length)
  })

  it('name test files that exist', () => {
    const paths = CAMPAIGNS.flatMap(({ vitest }) => vitest.filter((one) => one.startsWith('test/')))
    expect(paths.length).toBeGreaterThan(CAMPAIGNS.length)
    expect(paths.filter((path) => !existsSync(join(root, path)))).toEqual([])
  })

  it('are listed in the error for an unknown name', () => {
    expect(() => campaignOf('monny')).toThrow(/no campaign "monny"; there are .*money/)
  })
})

describe('pieces of a campaign', () => {
  it('cover the plan, with a smaller last piece', () => {
    expect(cut(plan).map(({ first, count }) => [first, count])).toEqual([
      [1, 250],
      [251, 250],
      [501, 100],
    ])
    for (const campaign of CAMPAIGNS)
      expect(union(cut(campaign))).toEqual([{ first: 1, count: campaign.planned }])
  })

  it('remain to be played unless they passed', () => {
    const passed = [finished(251, 250), finished(1, 250, { campaign: 'chain' })]
    expect(leftOf(plan, passed).map(({ first }) => first)).toEqual([1, 501])
  })

  it('count as passed if passed pieces of other sizes cover them', () => {
    const passed = [finished(1, 100), finished(101, 150), finished(251, 249)]
    expect(leftOf(plan, passed).map(({ first }) => first)).toEqual([251, 501])
  })

  it('are divided among shards without overlap', () => {
    const shards = [0, 1].map((index) => leftOf(plan, [], { index, of: 2 }))
    expect(shards.map((pieces) => pieces.map(({ first }) => first))).toEqual([[1, 501], [251]])
  })

  it('merge if they touch or overlap', () => {
    const ranges = [
      { first: 5, count: 2 },
      { first: 1, count: 3 },
      { first: 2, count: 1 },
      { first: 4, count: 1 },
      { first: 9, count: 1 },
    ]
    expect(union(ranges)).toEqual([
      { first: 1, count: 6 },
      { first: 9, count: 1 },
    ])
    expect(isWithin({ first: 6, count: 2 }, ranges)).toBe(false)
  })

  it('are replayed by failed seed, or as a whole without one', () => {
    const seeds = replaysOf(finished(1, 250, { failedSeeds: [7, 9] }))
    expect(seeds.map((command) => command.split(' ')[0])).toEqual(['SVC_SEED=7', 'SVC_SEED=9'])
    expect(replaysOf(finished(1, 250))).toEqual([
      'SVC_SEED=1 SVC_COUNT=250 npx vitest run --config test/vitest.config.ts --project origin test/origin/credits/simulation/simulation.test.ts -t "whatever fails"',
    ])
  })
})

describe('the progress file', () => {
  const text = (...lines: object[]) => lines.map((line) => `${JSON.stringify(line)}\n`).join('')

  it('keeps the last result of each piece', () => {
    const failed = finished(1, 250, { passed: false })
    expect(parseProgress(text(failed, finished(251, 250), finished(1, 250)))).toEqual([
      finished(251, 250),
      finished(1, 250),
    ])
  })

  it('drops the results of restarted campaigns only', () => {
    const chain = finished(1, 25, { campaign: 'chain' })
    const restart = { restarted: ['money'], commit: 'abc1234', date: '' }
    const lines = text(finished(1, 250), chain, restart, finished(251, 250))
    expect(parseProgress(lines)).toEqual([chain, finished(251, 250)])
  })

  it('is readable after a kill in the middle of a line', () => {
    expect(parseProgress(text(finished(1, 250)) + '{"campaign":"mon')).toEqual([finished(1, 250)])
  })
})

describe('the status', () => {
  it('counts played units including failed seeds, and prints replay commands', () => {
    const failed = {
      passed: false,
      failedSeeds: [300],
      failures: ['Error: seed 300: a charge is lost\ntrace'],
      commit: 'def5678',
    }
    const lines = status([MONEY], [finished(1, 250), finished(251, 250, failed)]).split('\n')
    expect(lines[2]).toBe(
      '| money | 500 of 600 seeds | 300 |  | 2 min | abc1234, def5678 | 2026-11-25 |',
    )
    expect(lines).toContain('Failed: money 251–500 (def5678)')
    expect(lines).toContain('    Error: seed 300: a charge is lost')
    expect(lines.some((line) => line.startsWith('    SVC_SEED=300 npx vitest run'))).toBe(true)
    expect(lines.at(-1)).toBe('Pieces left: money 2 (1 min)')
  })

  it('does not count a piece that ended without a report', () => {
    const { figures: _, ...killed } = finished(1, 250, { passed: false })
    expect(status([MONEY], [killed])).toContain('| money | 0 of 600 seeds | 1–250 |')
  })

  it('hides a failure that has passed since, in pieces of another size', () => {
    const failed = finished(1, 250, { passed: false })
    const text = status([MONEY], [failed, finished(1, 100), finished(101, 150)])
    expect(text).toContain('| money | 250 of 600 seeds | none |')
    expect(text).not.toContain('Failed:')
  })

  it('sums figures, and takes the maximum of those that start with max', () => {
    const figures = [
      { kills: 20, 'max MiB/h': 3.21 },
      { kills: 1_000, 'max MiB/h': 1 },
    ]
    const pieces = figures.map((one, index) => finished(index * 250 + 1, 250, { figures: one }))
    expect(status([MONEY], pieces)).toContain('| 1,020 kills, 3.2 max MiB/h |')
  })

  it('reports when nothing is left', () => {
    expect(status([MONEY], [finished(1, 600)])).toContain('Every piece has passed.')
  })
})

describe('the outcome of a piece', () => {
  const report = (...tests: { status: string; failure?: string; meta?: object }[]) => ({
    testResults: [
      {
        message: '',
        assertionResults: tests.map(({ status: how, failure, meta = {} }) => ({
          status: how,
          title: 't',
          failureMessages: failure === undefined ? [] : [failure],
          meta,
        })),
      },
    ],
  })

  it('includes the figures and failed seeds of its tests', () => {
    const tests = [
      { status: 'passed', meta: { figures: { runs: 1 } } },
      { status: 'failed', failure: 'seed 7', meta: { figures: { runs: 2 }, failedSeeds: [7] } },
      { status: 'skipped' },
    ]
    expect(outcomeOf(report(...tests), 1)).toEqual({
      passed: false,
      figures: { runs: 3 },
      failedSeeds: [7],
      failures: ['seed 7'],
    })
  })

  it('is a failure if no test ran, or if Vitest failed outside of tests', () => {
    expect(outcomeOf(report({ status: 'skipped' }), 0).passed).toBe(false)
    expect(outcomeOf(report({ status: 'passed' }), 1).passed).toBe(false)
    expect(outcomeOf(report({ status: 'passed' }), 0)).toEqual({ passed: true, figures: {} })
  })
})

describe('failed seeds', () => {
  it('are all reported, each with its replay command', () => {
    const failed = new FailedSeeds('npx vitest')
    const meta = {}
    expect(() => failed.throwIfAny(meta)).not.toThrow()
    failed.add(7, 'a charge is lost', ['first', 'second'])
    failed.add(9, 'another', [])
    expect(() => failed.throwIfAny(meta)).toThrow(
      /seed 7: a charge is lost\n\nfirst\nsecond\n\nreplay: SVC_SEED=7 npx vitest\n\nseed 9/,
    )
    expect(meta).toEqual({ failedSeeds: [7, 9] })
  })
})

describe('the memory slope', () => {
  it('is that of the best-fitting line', () => {
    const line = [0, 1, 2, 3].map((x) => ({ x, y: 5 * x + 2 }))
    expect(slope(line)).toBeCloseTo(5)
    expect(slope([...line, { x: 1.5, y: 100 }])).toBeCloseTo(5)
    expect(
      slope([
        { x: 0, y: 1 },
        { x: 1, y: 3 },
        { x: 2, y: 1 },
      ]),
    ).toBeCloseTo(0)
  })
})

describe('the reliability page', () => {
  const page = readFileSync(join(root, 'docs/reliability.md'), 'utf8')

  it('lists every campaign in the table of promises', () => {
    expect(CAMPAIGNS.filter(({ name }) => !page.includes(`\`${name}\``))).toEqual([])
  })

  it('names only existing tests', () => {
    const named = [...page.matchAll(/`(test\/[^`]+)`/g)].map(([, path]) => path!)
    expect(named.length).toBeGreaterThan(20)
    expect(named.filter((path) => !existsSync(join(root, path)))).toEqual([])
  })
})
