import { describe, expect, it } from 'vitest'
import type { Principal } from '../../../origin/accounts/account.ts'
import { identityOf, requestHashOf, transactionId } from '../../../origin/transactions/identity.ts'

const account = { hash: '0xaa', managed: true }
const owner = { account, keyHash: '0xaa' } as unknown as Principal
const principal = { account, keyHash: '0xbb', usageKey: {} } as unknown as Principal
const origin = { principal, actionCid: 'Qm1' }

describe('the identity of a transaction', () => {
  it('is the run and the step, without a key', () => {
    expect(identityOf({ ...origin, runId: 'r1', step: 0 })).toBe('run/r1/0')
    expect(identityOf({ ...origin, runId: 'r1', step: 1 })).toBe('run/r1/1')
  })

  it('is the action and its key, whatever the run, so that a replayed event does not pay twice', () => {
    const first = identityOf({ ...origin, runId: 'r1', step: 0, idempotencyKey: 'k' })
    expect(first).toBe('action/Qm1/k')
    expect(identityOf({ ...origin, runId: 'r2', step: 3, idempotencyKey: 'k' })).toBe(first)
    expect(identityOf({ ...origin, step: 0, idempotencyKey: 'k' })).toBe(first)
  })

  it('is the API key and the Idempotency-Key, over HTTP', () => {
    expect(identityOf({ ...origin, idempotencyKey: 'k' })).toBe('key/0xbb/k')
  })

  it('of the owner stays the same when the account key is rotated or the account is converted', () => {
    const of = (by: object) =>
      identityOf({ ...origin, principal: { ...owner, ...by }, idempotencyKey: 'k' })
    expect(of({})).toBe('key/owner/k')
    expect(of({ keyHash: '0xcc' })).toBe('key/owner/k')
    expect(of({ account: { ...account, managed: false }, wallet: '0xdd' })).toBe('key/owner/k')
  })

  it('is new for each request otherwise', () => {
    expect(identityOf(origin)).not.toBe(identityOf(origin))
    expect(identityOf({ ...origin, step: 0 })).not.toBe(identityOf({ ...origin, step: 0 }))
  })
})

it('gives the same identity another ID in another account, or under another key', () => {
  const [key, other] = [new Uint8Array(32), new Uint8Array(32).fill(1)]
  const id = transactionId(key, '0xaa', 'run/r1/0')
  expect(id).toMatch(/^tx_[0-9a-f]{32}$/)
  expect(transactionId(key, '0xaa', 'run/r1/0')).toBe(id)
  expect(transactionId(key, '0xab', 'run/r1/0')).not.toBe(id)
  expect(transactionId(other, '0xaa', 'run/r1/0')).not.toBe(id)
})

it('hashes every member of a request', () => {
  const request = { pkpId: '0x1', chain: 'base', to: '0x2', data: '0x', value: 1n }
  const hashes = [
    requestHashOf(request, 1),
    requestHashOf(request, 2),
    requestHashOf({ ...request, pkpId: '0x2' }, 1),
    requestHashOf({ ...request, to: '0x3' }, 1),
    requestHashOf({ ...request, data: '0x00' }, 1),
    requestHashOf({ ...request, value: 2n }, 1),
    requestHashOf({ ...request, gasLimit: 2n }, 1),
    requestHashOf({ ...request, maxFeePerGas: 2n }, 1),
    requestHashOf({ ...request, speed: 'fast' }, 1),
    requestHashOf({ ...request, errors: ['error A()'] }, 1),
  ]
  expect(new Set(hashes).size).toBe(hashes.length)
  expect(requestHashOf({ ...request, speed: 'normal' }, 1)).toBe(hashes[0])
})
