import { beforeAll, describe, expect, it } from 'vitest'
import { verifyCallReceipt } from '../../shared/client/verification/verify-call-receipt.ts'
import { ReceiptMismatch } from '../../shared/client/verification/failures.ts'
import type { ReceiptKey } from '../../shared/receipts/receipt.ts'
import { actionCid } from '../../shared/cid/compute-cid.ts'
import type { Outcome } from '../../shared/wire/outcome.ts'
import {
  COMPOSE_HASH,
  FAILURE,
  newReceiptKey,
  signerWith,
  SUCCESS,
  verifierOf,
} from './receipts.ts'

const KEY = newReceiptKey()
const sign = signerWith(KEY)
const CODE = 'function main() { return { n: 1 } }'
const CALL = { code: CODE, paramsText: '{"a":1}' }
const params = CALL.paramsText

let key: ReceiptKey
let success: Outcome
let failure: Outcome
beforeAll(async () => {
  key = await verifierOf(KEY)
  const action_cid = await actionCid(CODE)
  success = { ...SUCCESS, action_cid }
  failure = { ...FAILURE, action_cid }
})

const check = (outcome: Outcome, { call = CALL, composeHash = COMPOSE_HASH } = {}) =>
  verifyCallReceipt(call, outcome, { key, composeHash })

/** @returns the field of the receipt that does not match */
async function mismatchOf(checked: Promise<unknown>): Promise<string> {
  const refused = await checked.then(
    () => new Error('it was believed'),
    (error: unknown) => error,
  )
  if (refused instanceof ReceiptMismatch) return refused.field
  throw refused
}

describe('the receipt of a call', () => {
  it('matches the call and its outcome, for a success and a failure', async () => {
    for (const outcome of [success, failure]) {
      const receipt = sign(outcome, { params })
      expect(await check({ ...outcome, receipt })).toMatchObject({ status: outcome.status })
    }
  })

  it('is missing only if the origin lost the run', async () => {
    const lost: Outcome = { ...FAILURE, code: 'origin_lost' }
    expect(await check(lost)).toBeUndefined()
    expect(await mismatchOf(check(success))).toBe('no receipt')
    expect(await mismatchOf(check(failure))).toBe('no receipt')
  })
})

describe('a valid receipt is rejected', () => {
  it.each<[string, string, () => Promise<unknown>]>([
    [
      'of other params',
      'params_sha256',
      () => check({ ...success, receipt: sign(success, { params: '{"a":2}' }) }),
    ],
    [
      'of another response',
      'response_sha256',
      () =>
        check({
          ...success,
          receipt: sign({ ...success, response: 2 } as Outcome, { params }),
        }),
    ],
    [
      'of another action',
      'action_cid',
      () =>
        check({
          ...success,
          receipt: sign({ ...success, action_cid: SUCCESS.action_cid }, { params }),
        }),
    ],
    [
      'of a failure, under an answer of success',
      'status',
      () => check({ ...success, receipt: sign(failure, { params }) }),
    ],
    [
      'of another failure',
      'error_code',
      () =>
        check({
          ...failure,
          receipt: sign({ ...failure, status: 'failed', code: 'other' } as Outcome, { params }),
        }),
    ],
    [
      'of a run with an id, which the call had not',
      'run_id',
      () => check({ ...success, receipt: sign(success, { params, runId: 'run' }) }),
    ],
    [
      'of another charge',
      'charged_cents',
      () => check({ ...success, receipt: sign({ ...success, charged_cents: 9 }, { params }) }),
    ],
    [
      'of another application than was verified',
      'compose_hash',
      () =>
        check({ ...success, receipt: sign(success, { params }) }, { composeHash: 'd0'.repeat(32) }),
    ],
  ])('%s', async (_what, field, checked) => {
    expect(await mismatchOf(checked())).toBe(field)
  })

  it('under a response that names another action', async () => {
    const receipt = sign(success, { params })
    const answer = { ...success, action_cid: SUCCESS.action_cid, receipt }
    expect(await mismatchOf(check(answer))).toBe('action_cid')
  })
})
