import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseExporterHeaders, signalUrl } from '../../../shared/telemetry/collector.ts'
import { runTrace } from '../../../shared/telemetry/run-trace.ts'
import { isTraceIdSampled } from '../../../shared/telemetry/sampling.ts'
import { formatTraceparent, parseTraceparent } from '../../../shared/telemetry/trace-context.ts'

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736'
const SPAN = '00f067aa0ba902b7'

describe('traceparent', () => {
  it('parses the examples of the specification', () => {
    const parsed = { traceId: TRACE, spanId: SPAN }
    expect(parseTraceparent(`00-${TRACE}-${SPAN}-01`)).toEqual({ ...parsed, isSampled: true })
    expect(parseTraceparent(`00-${TRACE}-${SPAN}-00`)).toEqual({ ...parsed, isSampled: false })
  })

  it('ignores flags that it does not know', () => {
    expect(parseTraceparent(`00-${TRACE}-${SPAN}-03`)).toMatchObject({ isSampled: true })
    expect(parseTraceparent(`00-${TRACE}-${SPAN}-02`)).toMatchObject({ isSampled: false })
  })

  it('accepts later versions, which may have more fields', () => {
    expect(parseTraceparent(`cc-${TRACE}-${SPAN}-01`)).toMatchObject({ traceId: TRACE })
    expect(parseTraceparent(`cc-${TRACE}-${SPAN}-01-what-the-future`)).toMatchObject({
      traceId: TRACE,
    })
  })

  it.each([
    ['nothing', ''],
    ['zeros as trace ID', `00-${'0'.repeat(32)}-${SPAN}-01`],
    ['zeros as span ID', `00-${TRACE}-${'0'.repeat(16)}-01`],
    ['upper case', `00-${TRACE.toUpperCase()}-${SPAN}-01`],
    ['version ff', `ff-${TRACE}-${SPAN}-01`],
    ['more fields in version 00', `00-${TRACE}-${SPAN}-01-more`],
    ['a later version without a separator', `cc-${TRACE}-${SPAN}-01.more`],
    ['a short trace ID', `00-${TRACE.slice(1)}-${SPAN}-01`],
    ['two values', `00-${TRACE}-${SPAN}-01, 00-${TRACE}-${SPAN}-01`],
    ['no hex', `00-${'g'.repeat(32)}-${SPAN}-01`],
  ])('rejects %s', (_, header) => {
    expect(parseTraceparent(header)).toBeUndefined()
  })

  it('reads what it writes, and never throws', () => {
    const id = (bytes: number) =>
      fc
        .uint8Array({ minLength: bytes, maxLength: bytes })
        .map((value) => Buffer.from(value).toString('hex'))
        .filter((text) => /[^0]/.test(text))
    fc.assert(
      fc.property(id(16), id(8), fc.boolean(), (traceId, spanId, isSampled) => {
        const context = { traceId, spanId, isSampled }
        expect(parseTraceparent(formatTraceparent(context))).toEqual(context)
      }),
    )
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(parseTraceparent(text)).toBeUndefined()
      }),
    )
  })
})

describe('the trace of a run', () => {
  const run = 'T'.repeat(32) + 'r'.repeat(16)

  it('depends only on the run', () => {
    expect(runTrace(run)).toEqual(runTrace(run))
    expect(runTrace(run).traceId).not.toBe(runTrace(`${run.slice(0, -1)}s`).traceId)
    expect(Object.values(runTrace(run)).map(({ length }) => length)).toEqual([32, 16, 16])
  })

  it('does not reveal the ID of the trigger, which is the secret of a webhook', () => {
    const { traceId } = runTrace(run)
    expect(traceId).not.toContain(Buffer.from(run, 'base64url').subarray(0, 4).toString('hex'))
    // Runs of one trigger have nothing in common.
    const other = runTrace(`${'T'.repeat(32)}${'q'.repeat(16)}`).traceId
    expect([...traceId].filter((digit, at) => digit === other[at]).length).toBeLessThan(16)
  })
})

describe('sampling', () => {
  it('takes about the given share of traces, all of them, or none', () => {
    const ids = Array.from({ length: 4_000 }, (_, n) => runTrace(`run ${n}`).traceId)
    const share = (ratio: number) =>
      ids.filter((id) => isTraceIdSampled(id, ratio)).length / ids.length
    expect(share(1)).toBe(1)
    expect(share(0)).toBe(0)
    expect(share(0.1)).toBeGreaterThan(0.07)
    expect(share(0.1)).toBeLessThan(0.13)
  })
})

describe('the settings of the collector', () => {
  it('appends the path of a signal to the endpoint', () => {
    expect(signalUrl('https://c.example', 'v1/traces')).toBe('https://c.example/v1/traces')
    expect(signalUrl('https://c.example/otlp/', 'v1/logs')).toBe('https://c.example/otlp/v1/logs')
    expect(signalUrl('https://c.example/?key=k', 'v1/logs')).toBe('https://c.example/v1/logs?key=k')
  })

  it('reads headers in percent encoding', () => {
    expect(parseExporterHeaders('authorization=Bearer%20a%3Db, X-Tenant = svc')).toEqual([
      ['authorization', 'Bearer a=b'],
      ['x-tenant', 'svc'],
    ])
  })

  it.each(['', 'name', '=value', 'a b=c', 'a=%zz', 'a=b,', 'a=%0d%0ab'])(
    'rejects %j as headers',
    (text) => {
      expect(parseExporterHeaders(text)).toBeUndefined()
    },
  )
})
