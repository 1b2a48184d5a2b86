/**
 * Derived actions at a real origin, and the public lookup of an action's wallet: the endpoint, its signed statement,
 * and the client's part.
 */
import { computeAddress } from 'ethers'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createOriginApp } from '../../../origin/app.ts'
import { Keyring } from '../../../origin/keys/keyring.ts'
import { ActionStatements } from '../../../origin/receipts/action-statements.ts'
import {
  ACTION_STATEMENT_TYPE,
  readActionStatement,
  StatementMismatchError,
  type ActionStatement,
} from '../../../shared/receipts/action-statement.ts'
import { InvalidJwsError } from '../../../shared/crypto/jws.ts'
import { InvalidReceiptError, verifyReceipt } from '../../../shared/receipts/receipt.ts'
import { actionCid } from '../../../shared/cid/compute-cid.ts'
import { actionWallet } from '../../../shared/client/action-wallet.ts'
import { NotSent } from '../../../shared/client/failures/transport-errors.ts'
import { BadRequest } from '../../../shared/client/failures/by-status.ts'
import { createRequester } from '../../../shared/client/requester.ts'
import { StatementRefused } from '../../../shared/client/verification/failures.ts'
import { OriginVerification } from '../../../shared/client/verification/origin-verification.ts'
import { deriveAction, derivedSource } from '../../../shared/derived-action/derive-action.ts'
import { ACTION_LOOKUPS_PER_MINUTE, SOURCE_MAX_BYTES } from '../../../shared/limits.ts'
import { BASE_URL, fetchFrom, random, showEvidence, wire } from '../client/client-of.ts'
import { headerFor, jwsOf, newReceiptKey, payloadOf, verifierOf } from '../../shared/receipts.ts'
import { startOrigin, type TestOrigin } from './origin.ts'

const CODE = 'async function main() { return 1 }'
const LOOK_UP = `async function main({ ipfsId }) {
  return {
    public_key: await Svc.Actions.getSvcActionPublicKey({ ipfsId }),
    wallet_address: await Svc.Actions.getSvcActionWalletAddress({ ipfsId }),
  }
}`

let origin: TestOrigin
let cid: string
let otherCid: string
beforeAll(async () => {
  origin = await startOrigin()
  cid = await actionCid(CODE)
  otherCid = await actionCid(LOOK_UP)
  await showEvidence(origin)
})
afterAll(() => origin.close())

const lookUp = (query: string) => origin.core(`get_svc_action_wallet${query}`, {})
const looked = async (of = cid) => (await lookUp(`?action_ipfs_cid=${of}`)).body
const composeHash = () => payloadOf(statement)['compose_hash'] as string
let statement: string
beforeEach(async () => {
  statement = (await looked()).statement
})

describe('a derived action', () => {
  const TEMPLATE = 'const template = (manifest) => manifest //'

  it.each([262_144, 262_145, SOURCE_MAX_BYTES])(
    'of %i bytes has the CID that the origin computes',
    async (bytes) => {
      const rest = derivedSource(TEMPLATE, null).length
      const derived = await deriveAction(`${TEMPLATE}${'x'.repeat(bytes - rest)}`, null)
      expect(derived.source).toHaveLength(bytes)
      const { body } = await origin.core('get_svc_action_ipfs_id', { body: derived.source })
      expect(derived.cid).toBe(body)
    },
  )

  it('can be permitted by its CID or CID hash, runs from its source, and has the wallet that was looked up', async () => {
    const code = `const template = async ({ a }, { b }) => [
      a, b, new ethers.Wallet(await Svc.Actions.getSvcActionPrivateKey()).address
    ]`
    const action = await deriveAction(code, { a: 1 })
    const master = await origin.account()
    const byCid = await origin.group(master, {})
    const added = { group_id: byCid, action_ipfs_cid: action.cid }
    expect((await origin.core('add_action_to_group', { key: master, body: added })).status).toBe(
      200,
    )
    const byHash = await origin.group(master, { cid_hashes_permitted: [action.cidHash] })
    const { wallet_address } = await looked(action.cid)
    for (const group of [byCid, byHash]) {
      const key = await origin.usageKey(master, { execute_in_groups: [group] })
      const { body } = await origin.run(key, action.source, { b: 2 })
      expect(body.response).toEqual([1, 2, wallet_address])
      const altered = action.source.replace('"a":1', '"a":2')
      expect((await origin.run(key, altered, { b: 2 })).status).toBe(403)
    }
  })
})

describe('get_svc_action_wallet', () => {
  it('returns for any CID what an action can look up about it', async () => {
    const { response } = (await origin.run(await origin.account(), LOOK_UP, { ipfsId: cid })).body
    const { status, body } = await lookUp(`?action_ipfs_cid=${cid}`)
    expect(status).toBe(200)
    expect(body).toEqual({ action_cid: cid, ...response, statement: body.statement })
    expect(computeAddress(body.public_key)).toBe(body.wallet_address)
  })

  it('returns the same each time, and another wallet for another action', async () => {
    expect(await looked()).toEqual(await looked())
    expect((await looked(otherCid)).wallet_address).not.toBe((await looked()).wallet_address)
  })

  it.each([
    ['no CID', '', 422],
    ['an empty one', '?action_ipfs_cid=', 400],
    [
      'a CIDv1',
      '?action_ipfs_cid=bafybeibr5ra4xjcibbsqhpcu6dmqvcqirwmfrtd6mmnuzpogfhtpk7tvyu',
      400,
    ],
    ['a letter too many', '?action_ipfs_cid=QmRf22bZar3WKmojipms22PkXH1MZGmvsqzQtuSvQE3uhmx', 400],
    ['a letter that base58 has not', `?action_ipfs_cid=Qm${'0'.repeat(44)}`, 400],
  ])('rejects %s and names the field', async (_what, query, status) => {
    const answer = await lookUp(query)
    expect(answer.status).toBe(status)
    expect(answer.body.message).toContain('action_ipfs_cid')
  })

  it('free derivations: limits a network’s new derivations per minute, but not known ones', async () => {
    const clock = { at: 0 }
    const { services } = origin
    const { keyring } = services
    const compose = composeHash()
    const actionStatements = new ActionStatements({
      keyring,
      composeHash: compose,
      now: () => clock.at,
    })
    const app = createOriginApp({ ...services, actionStatements })
    const ask = async (number: number, remoteAddress: string) => {
      const path = `/core/v1/get_svc_action_wallet?action_ipfs_cid=${cidNumber(number)}`
      return app.request(path, {}, { incoming: { socket: { remoteAddress } } })
    }
    for (let n = 0; n < ACTION_LOOKUPS_PER_MINUTE; n++)
      expect((await ask(n, '2001:db8::1')).status).toBe(200)
    const refused = await ask(ACTION_LOOKUPS_PER_MINUTE, '2001:db8::ffff')
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '60'])
    expect((await ask(0, '2001:db8::1')).status).toBe(200)
    expect((await ask(ACTION_LOOKUPS_PER_MINUTE, '2001:db8:0:1::1')).status).toBe(200)
    clock.at += 60_000
    expect((await ask(-1, '2001:db8::1')).status).toBe(200)
  })
})

/** A well-formed CID, different for each number. */
function cidNumber(number: number): string {
  const digits = [...String(number + 1)].map((digit) => 'ABCDEFGHJK'[Number(digit)])
  return `Qm${digits.join('').padStart(44, '1')}`
}

describe('the statement', () => {
  const read = async (text: string, expected = { cid, composeHash: composeHash() }) =>
    readActionStatement(text, await verifierOf(origin.services.keyring.receiptKey()), expected)
  /** Returns the reason why a text is rejected. */
  const flawOf = (reading: Promise<unknown>) =>
    reading.then(
      () => 'believed',
      (error: unknown) => {
        if (error instanceof InvalidJwsError || error instanceof InvalidReceiptError)
          return error.flaw
        if (error instanceof StatementMismatchError) return error.field
        throw error
      },
    )
  const key = () => origin.services.keyring.receiptKey()
  const header = () => ({ ...headerFor(key()), typ: ACTION_STATEMENT_TYPE })

  it('states the same as the response, and which application signed it', async () => {
    const { statement: text, ...answer } = await looked()
    const info = await origin.call('/info')
    expect(await read(text)).toEqual({ v: 1, ...answer, compose_hash: info.body.compose_hash })
  })

  it('transplanted: is rejected for another action', async () => {
    const { statement: other } = await looked(otherCid)
    expect(await flawOf(read(other))).toBe('action_cid')
  })

  it('is rejected if another application signed it', async () => {
    expect(await flawOf(read(statement, { cid, composeHash: '00'.repeat(32) }))).toBe(
      'compose_hash',
    )
  })

  it('forged: is rejected with another address under the same signature, or with another key', async () => {
    const [head, , signature] = statement.split('.')
    const payload = { ...payloadOf(statement), wallet_address: `0x${'11'.repeat(20)}` }
    const forged = jwsOf(newReceiptKey(), header(), payload)
    expect(await flawOf(read([head, forged.split('.')[1], signature].join('.')))).toBe('signature')
    expect(await flawOf(read(forged))).toBe('signature')
    const other = newReceiptKey()
    const named = { ...header(), kid: headerFor(other).kid }
    expect(await flawOf(read(jwsOf(other, named, payload)))).toBe('other_key')
  })

  it('cross-type: is not accepted as a receipt, nor a receipt as a statement, although one key signs both', async () => {
    const { body } = await origin.run(await origin.account(), CODE)
    expect(await flawOf(read(body.receipt))).toBe('type')
    expect(await flawOf(verifyReceipt(statement, await verifierOf(key())))).toBe('type')
  })

  it.each<[string, Partial<Record<keyof ActionStatement | 'admin', unknown>>]>([
    ['another version', { v: 2 }],
    ['what is no CID', { action_cid: 'Qm' }],
    ['a compressed key', { public_key: `0x02${'ab'.repeat(32)}` }],
    ['no address', { wallet_address: undefined }],
    ['a field more', { admin: true }],
  ])('is rejected if it is signed with %s', async (_what, change) => {
    const text = jwsOf(key(), header(), { ...payloadOf(statement), ...change })
    expect(await flawOf(read(text))).toBe('payload')
  })
})

describe('the client', () => {
  const clientOf = (verify: 'once' | 'never', network = wire) => {
    const { now } = origin.services
    const fetch = fetchFrom(origin, network)
    const policy = { root: { kind: 'simulated', spkiSha256: origin.rootPin } as const }
    const verification = new OriginVerification({
      baseUrl: BASE_URL,
      verify,
      policy,
      fetch,
      random,
      now,
    })
    const requester = createRequester({
      origin: BASE_URL,
      edge: undefined,
      retries: undefined,
      signal: undefined,
      fetch,
      now,
      random,
      sleep: () => Promise.resolve(),
      beforeCredential: () => verification.beforeCredential(),
    })
    return (of: string) => actionWallet({ requester, verification }, of)
  }
  /** Answers lookups in place of the origin. */
  const answering =
    (answer: () => object): typeof wire =>
    (request, passOn) =>
      request.url.includes('get_svc_action_wallet')
        ? Promise.resolve(Response.json(answer()))
        : passOn()

  it('returns what the origin has signed, after verifying its evidence', async () => {
    expect(await clientOf('once')(cid)).toEqual(await looked())
  })

  it('with verify: never returns the response of the origin, and requests no evidence', async () => {
    const asked: string[] = []
    const seeing: typeof wire = (request, passOn) => {
      asked.push(new URL(request.url).pathname)
      return passOn()
    }
    expect(await clientOf('never', seeing)(cid)).toEqual(await looked())
    expect(asked).toEqual(['/core/v1/get_svc_action_wallet'])
  })

  it('man in the middle: does not trust another address beside the correct statement', async () => {
    const right = await looked()
    const wrong = { public_key: `0x04${'ab'.repeat(64)}`, wallet_address: `0x${'11'.repeat(20)}` }
    expect(
      await clientOf(
        'once',
        answering(() => ({ ...right, ...wrong })),
      )(cid),
    ).toEqual(right)
  })

  it.each<[string, () => Promise<object>, string]>([
    ['of another action', () => looked(otherCid), 'action_cid'],
    [
      'signed by a key of its own',
      async () => {
        const keyring = new Keyring(random(32))
        return new ActionStatements({
          keyring,
          composeHash: composeHash(),
          now: Date.now,
        }).statementFor(cid, '')
      },
      'other_key',
    ],
    ['that is none', async () => ({ ...(await looked()), statement: 'a.b.c' }), 'malformed'],
  ])('man in the middle: rejects a statement %s', async (_what, answer, flaw) => {
    const given = await answer()
    const refused = await clientOf(
      'once',
      answering(() => given),
    )(cid).catch((error: unknown) => error)
    expect(refused).toBeInstanceOf(StatementRefused)
    expect(refused).toMatchObject({ code: 'statement_refused', flaw })
  })

  it('with verify: never still rejects a response about another action', async () => {
    const other = await looked(otherCid)
    await expect(
      clientOf(
        'never',
        answering(() => other),
      )(cid),
    ).rejects.toThrow(StatementRefused)
  })

  it('sends nothing for an invalid CID', async () => {
    const client = clientOf('never', () => Promise.reject(new Error('asked')))
    await expect(client(`${cid}&x=1`)).rejects.toThrow(NotSent)
  })

  it('throws a rejection by the origin as its error class', async () => {
    const refusal = { error: 'bad_request', message: 'm', fix: 'f', docs_url: 'd' }
    const network: typeof wire = async () => Response.json(refusal, { status: 400 })
    await expect(clientOf('never', network)(cid)).rejects.toThrow(BadRequest)
  })
})
