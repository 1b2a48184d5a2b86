import { describe, expect, it } from 'vitest'
import { type Chart, chartData, maxValue } from '../../../edge/browser/charts/chart.ts'
import { prettyJson } from '../../../edge/browser/runs/pretty-json.ts'
import { toRunView } from '../../../edge/browser/runs/run-view.ts'
import { formatDuration, relativeTime } from '../../../edge/browser/format/times.ts'
import { formatBytes, escapeLines } from '../../../edge/browser/format/values.ts'
import { maskSecretParams, MASKED } from '../../../edge/pages/triggers/detail/mask-secret-params.ts'
import { senderCurl, shellQuote } from '../../../edge/pages/triggers/detail/sender-curl.ts'
import { RunCharts } from '../../../edge/queue/run-charts.ts'
import type { RunRecord } from '../../../shared/wire/trigger.ts'

const HOUR_MS = 60 * 60_000

describe('formatting', () => {
  it.each([
    [0, '0 ms'],
    [999, '999 ms'],
    [1_250, '1.3 s'],
    [59_000, '59 s'],
    [125_000, '2 min 5 s'],
    [HOUR_MS * 3 + 60_000, '3 h 1 min'],
    [HOUR_MS * 49, '2 d 1 h'],
  ])('writes %i ms as %s', (ms, text) => expect(formatDuration(ms)).toBe(text))

  it.each([
    [0, 'just now'],
    [-12_000, '12 s ago'],
    [90_000, 'in 1 min'],
    [-HOUR_MS * 50, '2 d ago'],
  ])('writes %i ms from now as %s', (away, text) =>
    expect(relativeTime(1e12 + away, 1e12)).toBe(text),
  )

  it('writes bytes in decimal units', () => {
    expect([999, 1_000, 2_000_000].map(formatBytes)).toEqual(['999 B', '1.0 kB', '2.0 MB'])
  })

  it('hidden text: shows control and bidi characters, and keeps line breaks and tabs', () => {
    expect(escapeLines('a\r\n\tb\u202ec\u0000')).toBe('a\n\tb‹U+202E›c‹U+0000›')
  })
})

describe('formatted JSON', () => {
  it.each([null, 1, 'a"b', [], {}, [1, [2, {}]], { a: { b: [] }, 'c"': [null, true] }])(
    'matches the indentation of JSON.stringify: %j',
    (value) =>
      expect(prettyJson(value)).toEqual({ text: JSON.stringify(value, null, 2), isCut: false }),
  )

  it('stops at the length that is shown', () => {
    let deep: unknown = Array.from({ length: 10_000 }, () => 'x'.repeat(100))
    for (let level = 0; level < 500; level++) deep = [deep]
    const { text, isCut } = prettyJson(deep, 5_000)
    expect(isCut).toBe(true)
    expect(text.length).toBeLessThanOrEqual(5_000)
  })
})

describe('the command that fires a webhook', () => {
  it('shell injection: quotes an address and a secret as one word each', () => {
    const evil = `'; rm -rf "$HOME"; echo '`
    expect(shellQuote(evil)).toBe(String.raw`''\''; rm -rf "$HOME"; echo '\'''`)
    expect(senderCurl('https://x/webhook/1', evil)).toContain(`SECRET=${shellQuote(evil)}\n`)
  })
})

describe('params', () => {
  it('with names of secrets are masked at every depth, and no others are', () => {
    const params = { secret: 'a', deep: [{ apiKey: 'b', name: 'c' }], PRIVATE: { x: 1 }, n: 1 }
    expect(maskSecretParams(params)).toEqual({
      value: { secret: MASKED, deep: [{ apiKey: MASKED, name: 'c' }], PRIVATE: MASKED, n: 1 },
      masked: true,
    })
    expect(maskSecretParams({ n: 1 }).masked).toBe(false)
  })

  it('prototype pollution: keeps a member called __proto__ as a member', () => {
    const { value } = maskSecretParams(JSON.parse('{"__proto__":{"polluted":1}}'))
    expect(JSON.stringify(value)).toBe('{"__proto__":{"polluted":1}}')
    expect(Reflect.get({}, 'polluted')).toBeUndefined()
  })
})

describe('a displayed run', () => {
  it('truncates its logs and marks them as cut', () => {
    const logs = Array.from({ length: 2_000 }, (_, at_ms) => ({ level: 'log', at_ms, text: 'x' }))
    const run = toRunView({
      status: 'success',
      input: {},
      error: null,
      logs,
      receipt: null,
    } as unknown as RunRecord)
    expect(run.logs).toHaveLength(500)
    expect(run.logsAreCut).toBe(true)
  })

  it('has no claims if its receipt is invalid', () => {
    const run = toRunView({
      status: 'failed',
      input: {},
      error: 'x',
      logs: [],
      receipt: 'no.%%.jws',
    } as unknown as RunRecord)
    expect(run.claims).toBeNull()
  })
})

describe('a chart', () => {
  const chart: Chart = {
    label: '',
    times: [0, 1_000],
    until: 2_000,
    series: [
      { name: 'a', values: [1, 2], color: 'good', as: 'bar' },
      { name: 'b', values: [3, null], color: 'bad', as: 'bar' },
      { name: 'c', values: [null, 7], color: 'act', as: 'line' },
    ],
    format: String,
  }

  it('stacks its bars, draws the highest first, and leaves lines unchanged', () => {
    expect(chartData(chart)).toEqual([
      [0, 1],
      [null, 7],
      [4, 2],
      [1, 2],
    ])
    expect(maxValue(chartData(chart).slice(1))).toBe(7)
  })

  it('of a trigger counts runs in its range by bucket, and reads the disk once', () => {
    const now = 1_000 * HOUR_MS + 60_000
    const reads: number[] = []
    const run = (ago: number, ms: number | null, status: 'success' | 'failed' = 'success') => ({
      status,
      startedAt: ms === null ? null : now - ago - ms,
      finishedAt: now - ago,
    })
    const charts = new RunCharts({
      now: () => now,
      endedSince: (since) => {
        reads.push(since)
        return [run(0, 10), run(1_000, 30), run(HOUR_MS, null, 'failed'), run(25 * HOUR_MS, 5)]
      },
    })
    charts.add(run(0, 99))
    charts.read('24h')
    charts.add(run(500, 20))
    const { buckets } = charts.read('24h')
    expect(buckets.at(-1)).toEqual({ at: 1_000 * HOUR_MS, ok: 3, failed: 0, p50Ms: 20, p95Ms: 30 })
    expect(buckets.at(-2)).toMatchObject({ ok: 0, failed: 1, p50Ms: null })
    expect(buckets.reduce((sum, { ok, failed }) => sum + ok + failed, 0)).toBe(4)
    expect(reads).toEqual([now - 30 * 24 * HOUR_MS])
  })
})
