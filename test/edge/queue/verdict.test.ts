import { describe, expect, it } from 'vitest'
import { verdictOnOutcome, verdictOnRefusal } from '../../../edge/queue/verdict.ts'
import { CID } from '../app.ts'

const ended = { action_cid: CID, duration_ms: 5, logs: [], charged_cents: 0 }
const failed = { status: 'failed' as const, ...ended, message: 'no', stack: 'Error: no\n at main' }
const refusal = (status: number, retry_after_s?: number) => ({
  state: 'refused' as const,
  status,
  error: 'why',
  message: 'Because.',
  fix: 'Do.',
  ...(retry_after_s === undefined ? {} : { retry_after_s }),
})

describe('an outcome', () => {
  it('of success finishes the run with its value, with undefined as null', () => {
    const line = { level: 'log' as const, at_ms: 1, text: 'hi' }
    const paid = { ...ended, logs: [line], charged_cents: 2 }
    const outcome = { status: 'success' as const, ...paid, response: undefined }
    expect(verdictOnOutcome(outcome)).toEqual({
      kind: 'ended',
      status: 'success',
      result: { response: null, error: null, logs: [line], charged_cents: 2, receipt: null },
    })
  })

  it('of an action that threw contains only its stack, and the action is not retried', () => {
    expect(verdictOnOutcome({ ...failed, code: 'action_threw' })).toMatchObject({
      kind: 'ended',
      status: 'failed',
      result: { error: 'Error: no\n at main' },
    })
  })

  it('of another failure starts with its code', () => {
    expect(verdictOnOutcome({ ...failed, code: 'origin_lost', stack: '' })).toMatchObject({
      result: { error: 'origin_lost: no' },
    })
  })
})

it('a run whose sealed request expired before the origin received it returns to the queue', () => {
  const late = { ...refusal(400), error: 'invalid_request', reason: 'request_not_fresh' }
  expect(verdictOnRefusal(late, 9, 0.5)).toEqual({ kind: 'origin_away', retryAfterMs: 0 })
})

describe('a shortage of credits', () => {
  it('before the start makes the run wait: 402 does not fail it', () => {
    const wait = { kind: 'wait', shortage: 'payment' }
    expect(verdictOnRefusal(refusal(402), 1, 0.5)).toMatchObject(wait)
  })

  it('due to the cap of a key is distinguished from a shortage of the account', () => {
    const capped = { ...refusal(402, 90), error: 'payment_required', reason: 'spend_cap_reached' }
    const wait = { kind: 'wait', shortage: 'spend_cap', afterMs: 90_000 }
    expect(verdictOnRefusal(capped, 1, 0.5)).toEqual(wait)
  })

  it.each([
    ['key_rate_reached', 40, 40_000],
    ['key_concurrency_reached', 1, 1_000],
  ])('due to a limit of the key, %s, waits for Retry-After', (reason, seconds, afterMs) => {
    const limited = { ...refusal(429, seconds), error: 'too_many_requests', reason }
    const wait = { kind: 'wait', shortage: 'key_limit', afterMs }
    expect(verdictOnRefusal(limited, 1, 0.5)).toEqual(wait)
  })

  it('is recognized in responses of the previous release, which have the reason in error', () => {
    const capped = { ...refusal(402), error: 'spend_cap_reached' }
    expect(verdictOnRefusal(capped, 1, 0.5)).toMatchObject({ shortage: 'spend_cap' })
    const spent = { ...refusal(429), error: 'failed_execution_allowance' }
    const wait = { kind: 'wait', shortage: 'failed_execution_allowance' }
    expect(verdictOnRefusal(spent, 1, 0.5)).toMatchObject(wait)
  })

  it.each(['out_of_credits', 'spend_cap_reached', 'failed_execution_allowance'])(
    'during the run, %s, finishes the run without a retry',
    (code) => {
      const outcome = { ...failed, code, message: 'stopped after 3 s', stack: '' }
      expect(verdictOnOutcome(outcome)).toMatchObject({
        kind: 'ended',
        status: 'failed',
        result: { error: `${code}: stopped after 3 s`, charged_cents: 0 },
      })
    },
  )
})

describe('a rejection', () => {
  it.each([
    [500, 1, { kind: 'retry', afterMs: 5_000 }],
    [502, 2, { kind: 'retry', afterMs: 60_000 }],
    [504, 3, { kind: 'retry', afterMs: 600_000 }],
    [429, 9, { kind: 'origin_away', retryAfterMs: 0 }],
    [503, 9, { kind: 'origin_away', retryAfterMs: 0 }],
    [402, 9, { kind: 'wait', shortage: 'payment', afterMs: 60_000 }],
  ])('with %i at attempt %i: %o', (status, attempt, verdict) => {
    expect(verdictOnRefusal(refusal(status), attempt, 0.5)).toEqual(verdict)
  })

  it('due to the network fails the run at the fourth attempt', () => {
    expect(verdictOnRefusal(refusal(500), 4, 0.5)).toMatchObject({
      kind: 'ended',
      status: 'failed',
      result: { error: '500 why: Because. Do.' },
    })
  })

  it('waits for Retry-After', () => {
    expect(verdictOnRefusal(refusal(500, 90), 1, 0.5)).toMatchObject({ afterMs: 90_000 })
    expect(verdictOnRefusal(refusal(503, 90), 1, 0.5)).toMatchObject({ retryAfterMs: 90_000 })
  })

  it('waits for at most an hour', () => {
    const hour = 3_600_000
    expect(verdictOnRefusal(refusal(500, 86_400), 1, 0.5)).toMatchObject({ afterMs: hour })
    expect(verdictOnRefusal(refusal(429, 86_400), 1, 0.5)).toMatchObject({ retryAfterMs: hour })
  })

  it('due to load, 429, waits for Retry-After like an origin without room', () => {
    const overloaded = { ...refusal(429, 1), error: 'too_many_requests', reason: 'overloaded' }
    const wait = { kind: 'origin_away', retryAfterMs: 1_000 }
    expect(verdictOnRefusal(overloaded, 1, 0.5)).toEqual(wait)
  })

  it('due to the allowance makes the run wait for at least a minute', () => {
    const spent = (retry_after_s?: number) => ({
      ...refusal(429, retry_after_s),
      error: 'too_many_requests',
      reason: 'failed_execution_allowance',
    })
    const wait = { kind: 'wait', shortage: 'failed_execution_allowance', afterMs: 60_000 }
    expect(verdictOnRefusal(spent(), 1, 0.5)).toEqual(wait)
    expect(verdictOnRefusal(spent(90), 1, 0.5)).toEqual({ ...wait, afterMs: 90_000 })
    expect(verdictOnRefusal(spent(86_400), 1, 0.5)).toEqual({ ...wait, afterMs: 3_600_000 })
  })

  it('has a jitter of 10 %, in whole milliseconds', () => {
    expect(verdictOnRefusal(refusal(500), 1, 0)).toMatchObject({ afterMs: 4_500 })
    expect(verdictOnRefusal(refusal(500), 1, 0.99999)).toMatchObject({ afterMs: 5_500 })
  })

  it.each([400, 401, 403, 404, 409, 413, 421, 422])('with %i is final', (status) => {
    expect(verdictOnRefusal(refusal(status), 1, 0.5)).toMatchObject({ status: 'failed' })
  })
})
