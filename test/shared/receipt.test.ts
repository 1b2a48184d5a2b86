import { describe, expect, it } from 'vitest'
import { P256_ORDER } from '../../origin/keys/derive.ts'
import { KEY_OPERATIONS_MAX } from '../../shared/limits.ts'
import {
  type ReceiptFlaw,
  InvalidReceiptError,
  sha256OfText,
  verifyReceipt,
} from '../../shared/receipts/receipt.ts'
import {
  ACCOUNT,
  BUILD,
  COMPOSE_HASH,
  FAILURE,
  headerFor,
  jwsOf,
  newReceiptKey,
  partOf,
  payloadOf,
  requestedTransaction,
  signatureWith,
  signerWith,
  SUCCESS,
  verifierOf,
} from './receipts.ts'

const KEY = newReceiptKey()
const sign = signerWith(KEY)
const verified = async (text: string) => verifyReceipt(text, await verifierOf(KEY))

/** @returns the flaw that a text is rejected for */
async function flawOf(text: string, key = KEY): Promise<ReceiptFlaw> {
  const refused = await verifyReceipt(text, await verifierOf(key)).then(
    () => new Error('it was believed'),
    (error: unknown) => error,
  )
  if (refused instanceof InvalidReceiptError) return refused.flaw
  throw refused
}

describe('a receipt', () => {
  it('states what ran, for which account, when, and with which result', async () => {
    const receipt = await verified(sign(SUCCESS, { params: '{"n": 1}', runId: 'run' }))
    expect(receipt).toMatchObject({
      v: 1,
      action_cid: SUCCESS.action_cid,
      params_sha256: sha256OfText('{"n": 1}'),
      response_sha256: sha256OfText('{"n":1}'),
      status: 'success',
      account_hash: ACCOUNT,
      run_id: 'run',
      finished_at: '2026-05-22T13:05:00.250Z',
      duration_ms: 12.5,
      charged_cents: 1,
      compose_hash: COMPOSE_HASH,
      version: BUILD.version,
      commit: BUILD.commit,
      environment: 'staging',
    })
  })

  it('from before the software was named is still valid', async () => {
    const { version: _, commit: _c, environment: _e, ...before } = payloadOf(sign(SUCCESS))
    await expect(verified(jwsOf(KEY, headerFor(KEY), before))).resolves.toEqual(before)
  })

  it('of a failed run has the error code and no response', async () => {
    const receipt = await verified(sign(FAILURE))
    expect(receipt).toMatchObject({
      status: 'failed',
      error_code: 'action_threw',
      charged_cents: 0,
    })
    expect(receipt).not.toHaveProperty('response_sha256')
    expect(receipt).not.toHaveProperty('run_id')
  })

  it('names the signatures of wallets with a policy, also of a failed run', async () => {
    const signatures = [signatureWith(1), signatureWith(0)]
    for (const outcome of [SUCCESS, FAILURE])
      expect(await verified(sign(outcome, { signatures }))).toMatchObject({ signatures })
    expect(await verified(sign())).not.toHaveProperty('signatures')
  })

  it('fits into a response header, whatever the number of sums', async () => {
    const text = 'x'.repeat(64)
    const sums = Array.from({ length: 40 }, () => ({
      key: `${text}/9007199254740991/${ACCOUNT}`,
      remaining: '9'.repeat(78),
      max: '9'.repeat(78),
    }))
    const signatures = Array.from({ length: KEY_OPERATIONS_MAX }, () => {
      return { ...signatureWith(0), rule: text, sums }
    })
    const receipt = sign(FAILURE, { signatures })
    expect(receipt.length).toBeLessThan(15_000)
    const counts = (await verified(receipt)).signatures!.map(({ sums: listed, sums_omitted }) => [
      listed.length,
      sums_omitted,
    ])
    expect(counts).toEqual([[16, 24], ...Array.from({ length: 9 }, () => [0, 40])])
  })

  it.each([
    ['no entry', []],
    ['more entries than key operations', Array(KEY_OPERATIONS_MAX + 1).fill(signatureWith(0))],
    ['an unknown member', [{ ...signatureWith(0), note: '' }]],
    ['a missing member', [{ ...signatureWith(0), rule: undefined }]],
    ['a name instead of an address', [{ ...signatureWith(0), wallet: 'wallet.eth' }]],
    ['an upper-case digest', [{ ...signatureWith(0), digest: `0x${'D1'.repeat(32)}` }]],
    ['a short policy hash', [{ ...signatureWith(0), policy_hash: '0x12' }]],
    [
      'a sum that is a number',
      [{ ...signatureWith(0), sums: [{ key: 's', remaining: 1, max: '2' }] }],
    ],
    [
      'a sum with leading zeros',
      [{ ...signatureWith(0), sums: [{ key: 's', remaining: '01', max: '2' }] }],
    ],
    ['too many sums', [signatureWith(17)]],
  ])('is rejected if its signatures have %s', async (_what, signatures) => {
    const payload = { ...payloadOf(sign()), signatures }
    expect(await flawOf(jwsOf(KEY, headerFor(KEY), payload))).toBe('payload')
  })

  it('names the transactions that the run requested, also of a failed run', async () => {
    const { hash: _, ...queued } = { ...requestedTransaction, state: 'queued' as const }
    const transactions = [requestedTransaction, queued]
    for (const outcome of [SUCCESS, FAILURE])
      expect(await verified(sign(outcome, { transactions }))).toMatchObject({ transactions })
    expect(await verified(sign())).not.toHaveProperty('transactions')
  })

  it.each([
    ['no entry', []],
    ['more entries than key operations', Array(KEY_OPERATIONS_MAX + 1).fill(requestedTransaction)],
    ['an unknown member', [{ ...requestedTransaction, note: '' }]],
    ['an unknown state', [{ ...requestedTransaction, state: 'done' }]],
    ['an ID that is not hex', [{ ...requestedTransaction, id: 'tx_1' }]],
    ['a hash instead of an ID', [{ ...requestedTransaction, id: requestedTransaction.hash }]],
    ['an upper-case hash', [{ ...requestedTransaction, hash: `0x${'D1'.repeat(32)}` }]],
    ['chain 0', [{ ...requestedTransaction, chain_id: 0 }]],
  ])('is rejected if its transactions have %s', async (_what, transactions) => {
    const payload = { ...payloadOf(sign()), transactions }
    expect(await flawOf(jwsOf(KEY, headerFor(KEY), payload))).toBe('payload')
  })

  it('contains the hash of the response as written by JSON.stringify, whatever its content', async () => {
    const response = JSON.parse(
      '{"b":1,"a":[1e2,0.10,"\\u00e9\\ud800"],"__proto__":{"x":null},"2":0,"1":-0}',
    )
    const { response_sha256 } = await verified(sign({ ...SUCCESS, status: 'success', response }))
    const asReceived = JSON.stringify(JSON.parse(JSON.stringify({ response })).response)
    expect(response_sha256).toBe(sha256OfText(asReceived))
  })

  it('has exactly the documented RFC 7515 header', () => {
    const header = Buffer.from(sign().split('.')[0]!, 'base64url').toString()
    expect(JSON.parse(header)).toEqual(headerFor(KEY))
  })
})

describe('a receipt is rejected', () => {
  const [header, payload, signature] = sign().split('.') as [string, string, string]

  it('forged payload: another charge under the same signature', async () => {
    const forged = partOf({ ...payloadOf(sign()), charged_cents: 0 })
    expect(await flawOf([header, forged, signature].join('.'))).toBe('signature')
  })

  it('malleable signature: the other of two valid ones, with which a chain would look forked', async () => {
    const bytes = Buffer.from(signature, 'base64url')
    const s = BigInt(`0x${bytes.subarray(32).toString('hex')}`)
    bytes.write((P256_ORDER - s).toString(16).padStart(64, '0'), 32, 'hex')
    expect(await flawOf([header, payload, bytes.toString('base64url')].join('.'))).toBe('malformed')
  })

  it('transplanted signature: the signature of another receipt', async () => {
    const other = sign().split('.')[2]!
    expect(await flawOf([header, payload, other].join('.'))).toBe('signature')
  })

  it('another key: signed with another key under the right key ID', async () => {
    const other = newReceiptKey()
    expect(await flawOf(jwsOf(other, headerFor(KEY), payloadOf(sign())))).toBe('signature')
  })

  it('another key: from another deployment', async () => {
    expect(await flawOf(sign(), newReceiptKey())).toBe('other_key')
  })

  it('alg none: a text without a signature', async () => {
    const none = partOf({ ...headerFor(KEY), alg: 'none' })
    expect(await flawOf([none, payload, ''].join('.'))).toBe('algorithm')
  })

  it.each(['HS256', 'ES384', 'ES256K', 'es256', ''])(
    'algorithm confusion: %s, despite a good signature',
    async (alg) => {
      const text = jwsOf(KEY, { ...headerFor(KEY), alg }, payloadOf(sign()))
      expect(await flawOf(text)).toBe('algorithm')
    },
  )

  it('cross-type: signed by the key for another purpose', async () => {
    const text = jwsOf(KEY, { ...headerFor(KEY), typ: 'JWT' }, payloadOf(sign()))
    expect(await flawOf(text)).toBe('type')
  })

  it.each([
    ['a key of its own choice', { jwk: { kty: 'EC' } }],
    ['what has to be understood', { crit: ['exp'], exp: 1 }],
    ['an encoding of its own', { b64: false }],
  ])('header smuggling: %s in the header', async (_what, more) => {
    expect(await flawOf(jwsOf(KEY, { ...headerFor(KEY), ...more }, payloadOf(sign())))).toBe(
      'malformed',
    )
  })

  it('swapped header: another spelling of the same header', async () => {
    const { alg, kid, typ } = headerFor(KEY)
    expect(await flawOf([partOf({ typ, kid, alg }), payload, signature].join('.'))).toBe(
      'signature',
    )
  })

  it.each([
    ['cut by a character', sign().slice(0, -1)],
    ['without its signature', `${header}.${payload}`],
    ['with an empty signature', `${header}.${payload}.`],
    ['with a fourth part', `${header}.${payload}.${signature}.`],
    ['with padding', `${header}.${payload}.${signature}==`],
    ['with white space', ` ${header}.${payload}.${signature}`],
    ['with a signature in DER', `${header}.${payload}.${'MEUC'.repeat(24)}`],
    ['in the JSON form of a JWS', JSON.stringify({ payload, protected: header, signature })],
    ['of nothing', ''],
  ])('%s', async (_what, text) => {
    expect(await flawOf(text)).toBe('malformed')
  })

  it('malleable base64: other trailing bits of the same signature', async () => {
    const last = signature.at(-1)!
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
    const next = alphabet[alphabet.indexOf(last) + 1]!
    expect(await flawOf(`${header}.${payload}.${signature.slice(0, -1)}${next}`)).toBe('malformed')
  })

  it.each([
    ['another version', { v: 2 }],
    ['a field that no receipt has', { admin: true }],
    ['a success with an error', { error_code: 'action_threw' }],
    ['a success without a response', { response_sha256: undefined }],
    ['a time without milliseconds', { finished_at: '2026-05-22T13:05:00Z' }],
    ['a negative charge', { charged_cents: -1 }],
    ['a first that follows another', { sequence: 1, previous_sha256: '00'.repeat(32) }],
    ['a second that follows none', { sequence: 2, previous_sha256: undefined }],
  ])('signed by the key, with %s', async (_what, change) => {
    const first = payloadOf(signerWith(KEY)())
    expect(await flawOf(jwsOf(KEY, headerFor(KEY), { ...first, ...change }))).toBe('payload')
  })
})
