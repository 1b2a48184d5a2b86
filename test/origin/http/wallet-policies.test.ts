/** Operations on wallet policies, in API mode and for the admin wallet of a ChainSecured account, and attacks on them. */
import { readFileSync } from 'node:fs'
import { eq } from 'drizzle-orm'
import { Contract, JsonRpcProvider, Wallet } from 'ethers'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { decodeRevert } from '../../../origin/accounts/writer/contract-revert.ts'
import { AccountRate } from '../../../origin/admission/account-rate.ts'
import { createOriginApp } from '../../../origin/app.ts'
import { walletPolicies } from '../../../origin/db/schema.ts'
import { PolicyText } from '../../../origin/http/policy-text.ts'
import { setWalletPolicyOperation } from '../../../origin/http/set-wallet-policy.ts'
import { addressFromPrivateKey, NO_LOCK } from '../../../origin/keys/keyring.ts'
import { accountConfigAbi } from '../../../shared/abi/account-config.ts'
import { POLICY_BODY_MAX_BYTES } from '../../../shared/limits.ts'
import { parsePolicy } from '../../../shared/policies/policy.ts'
import { grants } from '../accounts/mirrored.ts'
import { makeChainSecured } from './chain-secured.ts'
import { startOrigin, type TestOrigin } from './origin.ts'
import { signedBy, walletAuth } from './signed-request.ts'

const SUPPLIER = '0x70997970c51812dc3a010c7d01b50e0d17dc79c8'
const ABSENT_WALLET = `0x${'0'.repeat(24)}${'ab'.repeat(20)}`

/** Payments to the supplier, up to `max` wei a day. */
const payments = (max: string, more: object = {}) => ({
  version: 1,
  sums: [{ name: 'a day', of: 'native_value', window_s: 86_400, max }],
  rules: [
    {
      name: 'pay the supplier',
      effect: 'allow',
      kind: 'transaction',
      chains: [8453],
      to: [SUPPLIER],
      calls: 'none',
      value_max: '100',
      sums: ['a day'],
    },
  ],
  ...more,
})
const PAYMENTS = payments('100')
const MESSAGES = {
  version: 1,
  rules: [{ name: 'any', effect: 'allow', kind: 'message', messages: 'any' }],
}
const hashOf = (policy: object) => parsePolicy(JSON.stringify(policy)).hash

const payment = (value: string, to = SUPPLIER) => ({
  kind: 'transaction',
  transaction: {
    type: 2,
    chainId: 8453,
    nonce: 0,
    to,
    value,
    gasLimit: '21000',
    maxFeePerGas: '20000000000',
    maxPriorityFeePerGas: '1000000000',
  },
})

let origin: TestOrigin
let provider: JsonRpcProvider
let key: string
beforeAll(async () => {
  origin = await startOrigin()
  const options = { staticNetwork: true, cacheTimeout: -1, pollingInterval: 20 }
  provider = new JsonRpcProvider(origin.rpcUrl, undefined, options)
  key = await origin.account()
})
afterEach(() => {
  origin.clock.aheadMs = 0
})
afterAll(async () => {
  provider.destroy()
  await origin.close()
})

const setPolicy = (pkp_id: string, policy: unknown, more: object = {}) =>
  origin.core('set_wallet_policy', { key, body: { pkp_id, policy }, ...more })
const getPolicy = (pkpId: string, more: object = { key }) =>
  origin.call(`/core/v1/get_wallet_policy?pkp_id=${pkpId}`, more)
const simulate = (pkp_id: string, request: object, fields: object = {}, more: object = { key }) =>
  origin.core('simulate_signature', { body: { pkp_id, request, ...fields }, ...more })
const codeOf = ({ status, headers }: { status: number; headers: Headers }) => [
  status,
  headers.get('x-svc-error'),
]
const recordOf = (pkpId: string, account = key) =>
  origin.services.mirror.current().account(origin.hashOf(account))!.wallets.get(pkpId)!

/** Reserves the sums of a request, as its signature would. */
const spend = async (pkpId: string, policy: object, request: object) => {
  const { sums } = (await simulate(pkpId, request)).body
  const charges = sums.map(({ sum, key: name, added, max, window_s }: any) => ({
    sum,
    key: name,
    amount: BigInt(added),
    max: BigInt(max),
    window_s,
  }))
  const digest = `0x${Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString('hex')}`
  const policySetAt = recordOf(pkpId).policy!.setAt
  const reservation = { pkpId, digest, policyHash: hashOf(policy), policySetAt, charges }
  return origin.services.policySums.reserve(reservation)
}

describe('create_wallet', () => {
  it('with a policy registers a wallet whose key is not one that actions get', async () => {
    const made = await origin.policyWallet(key, PAYMENTS)
    expect(made).toEqual({
      wallet_address: expect.any(String),
      pkp_id: expect.any(String),
      policy_hash: hashOf(PAYMENTS),
    })
    const { derivationPath, policy } = recordOf(made.pkp_id)
    expect(policy).toMatchObject({ hash: hashOf(PAYMENTS), changeDelay: 0, isImmutable: false })
    const { keyring } = origin.services
    const locked = keyring.policyWalletKey(origin.hashOf(key), derivationPath, NO_LOCK)
    expect(addressFromPrivateKey(locked)).toBe(made.wallet_address)
    const plain = keyring.walletKey(origin.hashOf(key), derivationPath)
    expect(addressFromPrivateKey(plain)).not.toBe(made.wallet_address)
  })

  it('with an immutable policy derives a key that no other policy has', async () => {
    const policy = { ...PAYMENTS, immutable: true }
    const { wallet_address, pkp_id } = await origin.policyWallet(key, policy)
    const { derivationPath } = recordOf(pkp_id)
    const derived = origin.services.keyring.policyWalletKey(
      origin.hashOf(key),
      derivationPath,
      hashOf(policy),
    )
    expect(addressFromPrivateKey(derived)).toBe(wallet_address)
  })

  it('is repeated by Idempotency-Key without creating a second wallet', async () => {
    const account = await origin.account()
    const request = {
      key: account,
      body: { policy: PAYMENTS },
      headers: { 'idempotency-key': 'a wallet' },
    }
    const first = await origin.core('create_wallet', request)
    const again = await origin.core('create_wallet', request)
    expect([first.status, again.body]).toEqual([200, first.body])
    const other = { ...request, body: { policy: MESSAGES } }
    expect((await origin.core('create_wallet', other)).status).toBe(422)
    const list = await origin.call('/core/v1/list_wallets', { key: account })
    expect(list.body).toMatchObject([{ policy_hash: hashOf(PAYMENTS) }])
  })

  it('without a policy responds as before, in lists too', async () => {
    const account = await origin.account()
    const made = await origin.wallet(account)
    expect(Object.keys(made).toSorted()).toEqual(['pkp_id', 'wallet_address'])
    const list = await origin.call('/core/v1/list_wallets', { key: account })
    expect(Object.keys(list.body[0]).toSorted()).toEqual([
      'derivation_path',
      'description',
      'name',
      'pkp_id',
      'wallet_address',
    ])
  })

  it('lists the problems of a policy, each with its place and its correction', async () => {
    const [rule] = PAYMENTS.rules
    const policy = { ...PAYMENTS, limits: [], rules: [{ ...rule, to: ['0x00'] }] }
    const { status, body } = await origin.core('create_wallet', { key, body: { policy } })
    expect([status, body.error]).toEqual([400, 'bad_request'])
    expect(body.message).toContain('policy.limits: unknown member; remove it')
    expect(body.message).toContain('policy.rules[0].to[0]: expected an address')
  })
})

describe('set_wallet_policy', () => {
  it('replaces the policy at once if the policy that holds has no delay', async () => {
    const { pkp_id, wallet_address } = await origin.policyWallet(key, PAYMENTS)
    const { status, body } = await setPolicy(pkp_id, MESSAGES)
    expect([status, body]).toEqual([
      200,
      { wallet_address, pkp_id, policy_hash: hashOf(MESSAGES), pending: null },
    ])
    expect((await getPolicy(pkp_id)).body).toMatchObject({
      policy_hash: hashOf(MESSAGES),
      policy: MESSAGES,
      pending: null,
    })
  })

  it('lets a change wait for the delay of the policy that holds, and cancels it by setting that policy', async () => {
    const policy = payments('100', { change_delay_s: 3_600 })
    const { pkp_id } = await origin.policyWallet(key, policy)
    const { body } = await setPolicy(pkp_id, MESSAGES)
    const { setAt } = recordOf(pkp_id).policy!
    const pending = {
      policy_hash: hashOf(MESSAGES),
      effective_at: new Date((setAt + 3_600) * 1000).toISOString().replace('.000', ''),
    }
    expect(body).toMatchObject({ policy_hash: hashOf(policy), pending })
    expect((await getPolicy(pkp_id)).body).toMatchObject({
      policy_hash: hashOf(policy),
      pending: { ...pending, policy: MESSAGES },
    })
    expect((await setPolicy(pkp_id, policy)).body.pending).toBeNull()
    expect((await getPolicy(pkp_id)).body.pending).toBeNull()
  })

  it('tightens a policy at once, whatever its delay', async () => {
    const delay = { change_delay_s: 3_600 }
    const { pkp_id } = await origin.policyWallet(key, payments('100', delay))
    const strict = payments('99', delay)
    const { body } = await setPolicy(pkp_id, strict)
    expect(body).toMatchObject({ policy_hash: hashOf(strict), pending: null })
    const loose = await setPolicy(pkp_id, payments('100', delay))
    expect(loose.body).toMatchObject({ policy_hash: hashOf(strict), pending: expect.any(Object) })
  })

  it('takes effect by the clock of the chain', async () => {
    const policy = payments('100', { change_delay_s: 3_600 })
    const { pkp_id } = await origin.policyWallet(key, policy)
    await setPolicy(pkp_id, MESSAGES)
    expect((await getPolicy(pkp_id)).body.policy_hash).toBe(hashOf(policy))
    await provider.send('evm_increaseTime', [3_700])
    // Any write brings a block with the later time.
    await origin.wallet(key)
    expect((await getPolicy(pkp_id)).body).toMatchObject({
      policy_hash: hashOf(MESSAGES),
      pending: null,
    })
    const list = await origin.call('/core/v1/list_wallets?page_size=200', { key })
    expect(list.body).toContainEqual(
      expect.objectContaining({ pkp_id, policy_hash: hashOf(MESSAGES) }),
    )
  })

  it.each([
    ['a wallet without a policy', 'wallet_has_no_policy', undefined],
    ['an immutable policy', 'policy_is_immutable', { ...PAYMENTS, immutable: true }],
  ])('rejects a change of %s with 409', async (_what, code, policy) => {
    const { pkp_id } = policy ? await origin.policyWallet(key, policy) : await origin.wallet(key)
    expect(codeOf(await setPolicy(pkp_id, MESSAGES))).toEqual([409, code])
  })

  it('rejects a change with 409 if another policy holds than the caller read', async () => {
    const { pkp_id } = await origin.policyWallet(key, PAYMENTS)
    const change = { pkp_id, policy: MESSAGES, replaces: hashOf(payments('7')) }
    const answer = await origin.core('set_wallet_policy', { key, body: change })
    expect(codeOf(answer)).toEqual([409, 'policy_changed'])
    const right = { ...change, replaces: hashOf(PAYMENTS).toUpperCase().replace('0X', '0x') }
    expect((await origin.core('set_wallet_policy', { key, body: right })).status).toBe(200)
  })

  it('race: two changes at the same time cannot both replace one policy', async () => {
    const { pkp_id } = await origin.policyWallet(key, PAYMENTS)
    const changes = ['1', '2'].map((max) =>
      origin.core('set_wallet_policy', {
        key,
        body: { pkp_id, policy: payments(max), replaces: hashOf(PAYMENTS) },
      }),
    )
    const statuses = (await Promise.all(changes)).map(({ status }) => status)
    expect(statuses.toSorted((one, other) => one - other)).toEqual([200, 409])
  })

  it('stores the document before the contract names it', async () => {
    const { pkp_id } = await origin.policyWallet(key, PAYMENTS)
    const policy = payments('41')
    const app = origin.appThatCannotWrite(new Error('unforeseen'))
    expect((await setPolicy(pkp_id, policy, { app })).status).toBe(500)
    const stored = await origin.services.policyDocuments.load(hashOf(policy))
    expect(stored.document).toEqual(policy)
  })

  it('returns the first response to a repeat, although the policy can no longer be changed', async () => {
    const { pkp_id } = await origin.policyWallet(key, PAYMENTS)
    const policy = { ...MESSAGES, immutable: true }
    const principal = origin.services.mirror.current().principal(origin.hashOf(key))!
    const given: any = {
      principal,
      audit: () => undefined,
      writeId: crypto.randomUUID(),
      body: { pkp_id, policy: new PolicyText(JSON.stringify(policy)) },
    }
    const first = await setWalletPolicyOperation.handle(given, origin.services)
    expect(await setWalletPolicyOperation.handle(given, origin.services)).toEqual(first)
  })
})

describe('get_wallet_policy', () => {
  it('shows what remains of sums that were used, and no others', async () => {
    const { pkp_id } = await origin.policyWallet(key, PAYMENTS)
    expect((await getPolicy(pkp_id)).body.sums).toEqual([])
    await spend(pkp_id, PAYMENTS, payment('30'))
    expect((await getPolicy(pkp_id)).body.sums).toEqual([
      { sum: 'a day', key: 'a day/8453', remaining: '70', max: '100', window_s: 86_400 },
    ])
  })

  it('accepts the address in place of the ID, and a usage key without permissions', async () => {
    const { wallet_address } = await origin.policyWallet(key, PAYMENTS)
    const usage = await origin.usageKey(key, {})
    const { status, body } = await getPolicy(wallet_address, { key: usage })
    expect([status, body.wallet_address]).toEqual([200, wallet_address])
  })

  it.each([
    ['a wallet without a policy', 409, 'wallet_has_no_policy'],
    ['a wallet that does not exist', 404, 'wallet_does_not_exist'],
  ])('explains that there is none for %s', async (_what, status, code) => {
    const pkpId = status === 409 ? (await origin.wallet(key)).pkp_id : ABSENT_WALLET
    for (const answer of [
      await getPolicy(pkpId),
      await simulate(pkpId, payment('1')),
      await simulate(pkpId, payment('1'), { policy: PAYMENTS }),
    ]) {
      expect(codeOf(answer)).toEqual([status, code])
      expect(answer.body).toMatchObject({ message: expect.any(String), fix: expect.any(String) })
    }
  })

  it('reports a document that was lost, and returns it once the policy was set again', async () => {
    const policy = payments('77')
    const { pkp_id } = await origin.policyWallet(key, policy)
    const { db } = origin.database
    await db.delete(walletPolicies).where(eq(walletPolicies.hash, hashOf(policy)))
    const { status, body } = await getPolicy(pkp_id)
    expect([status, body.fix]).toEqual([503, expect.stringContaining('set_wallet_policy')])
    expect((await setPolicy(pkp_id, policy)).status).toBe(200)
    expect((await getPolicy(pkp_id)).body.policy).toEqual(policy)
  })
})

describe('simulate_signature', () => {
  it('explains what is allowed, and what would remain of the sums', async () => {
    const { pkp_id } = await origin.policyWallet(key, PAYMENTS)
    await spend(pkp_id, PAYMENTS, payment('30'))
    const { status, body } = await simulate(pkp_id, payment('60'))
    expect([status, body]).toEqual([
      200,
      {
        decision: 'allow',
        rule: 'pay the supplier',
        policy_hash: hashOf(PAYMENTS),
        explanation: [
          `Sends 60 wei to ${SUPPLIER} on chain 8453.`,
          'Pays at most 420000000000000 wei for 21000 gas at 20000000000 wei.',
          'Allowed by the rule "pay the supplier".',
        ],
        sums: [
          {
            sum: 'a day',
            key: 'a day/8453',
            added: '60',
            remaining: '10',
            max: '100',
            window_s: 86_400,
          },
        ],
      },
    ])
  })

  it('names the code, the rule and the reason of a denial', async () => {
    const { pkp_id } = await origin.policyWallet(key, PAYMENTS)
    const { body } = await simulate(pkp_id, payment('1', `0x${'99'.repeat(20)}`))
    expect(body).toMatchObject({
      decision: 'deny',
      code: 'recipient_not_allowed',
      rule: 'pay the supplier',
      sums: [],
    })
    expect(body.explanation.at(-1)).toContain('Denied')
    const other = await simulate(pkp_id, { kind: 'message', message: 'm' })
    expect(other.body).toMatchObject({ decision: 'deny', code: 'no_rule' })
  })

  it('tells when a sum has room again', async () => {
    const { pkp_id } = await origin.policyWallet(key, PAYMENTS)
    await spend(pkp_id, PAYMENTS, payment('90'))
    const { body } = await simulate(pkp_id, payment('11'))
    expect(body).toMatchObject({
      decision: 'deny',
      code: 'over_sum',
      sums: [{ added: '11', remaining: '10', available_at: expect.any(String) }],
    })
    expect(Date.parse(body.sums[0].available_at)).toBeGreaterThan(origin.services.now())
  })

  it('counts nothing, signs nothing and is free of charge', async () => {
    const { pkp_id } = await origin.policyWallet(key, PAYMENTS)
    const { body: before } = await origin.core('billing/balance', { key })
    for (const _each of [1, 2, 3])
      expect((await simulate(pkp_id, payment('60'))).body.decision).toBe('allow')
    expect((await getPolicy(pkp_id)).body.sums).toEqual([])
    expect((await origin.core('billing/balance', { key })).body).toEqual(before)
  })

  it('decides by another policy if one is sent, without storing it', async () => {
    const { pkp_id } = await origin.policyWallet(key, PAYMENTS)
    const policy = payments('12345')
    await spend(pkp_id, PAYMENTS, payment('30'))
    const { body } = await simulate(pkp_id, payment('50'), { policy })
    expect(body).toMatchObject({
      decision: 'allow',
      policy_hash: hashOf(policy),
      sums: [{ remaining: String(12_345 - 80) }],
    })
    await expect(origin.services.policyDocuments.load(hashOf(policy))).rejects.toThrow('not stored')
  })

  it('takes the action into account', async () => {
    const cid = 'QmT78zSuBmuS4z925WZfrqQ1qHaJ56DQaTfyMUF7F8ff5o'
    const [rule] = MESSAGES.rules
    const policy = { ...MESSAGES, rules: [{ ...rule, actions: [cid] }] }
    const { pkp_id } = await origin.policyWallet(key, policy)
    const message = { kind: 'message', message: 'm' }
    expect((await simulate(pkp_id, message)).body.code).toBe('action_not_allowed')
    const { body } = await simulate(pkp_id, message, { action_ipfs_cid: cid })
    expect(body.decision).toBe('allow')
  })

  it('is limited per account and minute, and leaves a share for the owner', async () => {
    const account = await origin.account()
    const { pkp_id } = await origin.policyWallet(account, MESSAGES)
    const usage = await origin.usageKey(account, {})
    const simulations = new AccountRate({ account: 3, usageKeys: 2 }, () => 0)
    const app = createOriginApp({ ...origin.services, simulations })
    const statuses: number[] = []
    for (const by of [usage, usage, usage, account, account]) {
      const request = { kind: 'message', message: 'm' }
      const answer = await simulate(pkp_id, request, {}, { key: by, app })
      statuses.push(answer.status)
      if (answer.status === 429) expect(answer.headers.get('retry-after')).toBe('60')
    }
    expect(statuses).toEqual([200, 200, 429, 200, 429])
    const other = await simulate(
      (await origin.policyWallet(key, MESSAGES)).pkp_id,
      payment('1'),
      {},
      {
        key,
        app,
      },
    )
    expect(other.status).toBe(200)
  })
})

describe('docs/policies.md', () => {
  it('has requests that work', async () => {
    const page = readFileSync(new URL('../../../docs/policies.md', import.meta.url), 'utf8')
    const requests = [...page.matchAll(/```http\n(\w+) (\S+)\nX-Api-Key: \$KEY\n\n?([^]*?)```/g)]
    expect(requests).toHaveLength([...page.matchAll(/```http/g)].length)
    const found: Record<string, any> = {}
    let wallet = { pkp_id: '', policy_hash: '' }
    for (const [, method, path, body] of requests) {
      const fill = (text: string) =>
        text.replace('$PKP_ID', wallet.pkp_id).replace('$POLICY_HASH', wallet.policy_hash)
      const sent = body === '' ? {} : { text: fill(body!) }
      const answer = await origin.call(fill(path!), { key, method: method!, ...sent })
      expect([path, answer.status]).toEqual([path, 200])
      const [name] = path!.split('/').at(-1)!.split('?')
      found[name!] = answer.body
      if (name === 'create_wallet') wallet = answer.body
    }
    expect(found.set_wallet_policy.pending).toEqual({
      policy_hash: expect.any(String),
      effective_at: expect.any(String),
    })
    expect(found.simulate_signature).toMatchObject({
      decision: 'allow',
      sums: [{ remaining: '950000000000000000' }],
    })
    expect(found.get_wallet_policy.policy_hash).toBe(wallet.policy_hash)
  })
})

describe('attacks in API mode', () => {
  it('usage key: one with every permission cannot set a policy', async () => {
    const { pkp_id } = await origin.policyWallet(key, PAYMENTS)
    const usage = await origin.usageKey(key, { can_create_pkps: true, execute_in_groups: [0] })
    const answer = await setPolicy(pkp_id, MESSAGES, { key: usage })
    expect(codeOf(answer)).toEqual([403, 'not_master_account'])
    expect(recordOf(pkp_id).policy!.hash).toBe(hashOf(PAYMENTS))
  })

  it('another account’s wallet: is found by no operation, whether or not it exists', async () => {
    const { pkp_id } = await origin.policyWallet(key, PAYMENTS)
    const thief = await origin.account()
    const asThief = { key: thief }
    const answersFor = async (pkpId: string) => {
      const answers = [
        await getPolicy(pkpId, asThief),
        await simulate(pkpId, payment('1'), {}, asThief),
        await simulate(pkpId, payment('1'), { policy: MESSAGES }, asThief),
        await setPolicy(pkpId, MESSAGES, asThief),
      ]
      return answers.map(({ status, body }) => ({
        status,
        body: JSON.stringify(body).replaceAll(pkpId, ''),
      }))
    }
    const answers = await answersFor(pkp_id)
    expect(answers.map(({ status }) => status)).toEqual([404, 404, 404, 404])
    expect(await answersFor(ABSENT_WALLET)).toEqual(answers)
  })

  it('stolen document: a wallet under another account’s hash cannot be created without the document', async () => {
    await origin.policyWallet(key, PAYMENTS)
    const thief = await origin.account()
    for (const policy of [hashOf(PAYMENTS), { hash: hashOf(PAYMENTS) }]) {
      const { status } = await origin.core('create_wallet', { key: thief, body: { policy } })
      expect(status).toBeGreaterThanOrEqual(400)
    }
    const own = await origin.policyWallet(thief, MESSAGES)
    const answer = await getPolicy(`${own.pkp_id}&policy_hash=${hashOf(PAYMENTS)}`, { key: thief })
    expect(answer.body.policy).toEqual(MESSAGES)
  })

  const text = JSON.stringify(PAYMENTS)
  const nested = `{"every":[`.repeat(2_500) + ']}'.repeat(2_500)
  it.each([
    [
      'oversize document',
      JSON.stringify({ ...PAYMENTS, name: 'n' }).replace('{', `{${' '.repeat(66_000)}`),
      /at most 65536 are allowed/,
    ],
    [
      'duplicate members: a rule that is not the one that a reader sees',
      text.replace('"value_max":', '"value_max":"1","value_max":'),
      /policy\.rules\[0\]\.value_max: the member occurs twice/,
    ],
    [
      'name of the prototype',
      text.replace('{', '{"__proto__":{"immutable":true},'),
      /policy\.__proto__: unknown member/,
    ],
    ['constructor', text.replace('{', '{"constructor":{},'), /policy\.constructor: unknown member/],
    ['null member', text.replace('{', '{"immutable":null,'), /policy\.immutable/],
    [
      'deep nesting that overflows the stack',
      text.replace(
        '"calls":"none"',
        `"calls":[{"function":"f(uint256 a)","conditions":[${nested}]}]`,
      ),
      /policy: nested deeper than/,
    ],
  ])('%s is refused by every operation', async (_name, document, expected) => {
    const { pkp_id } = await origin.policyWallet(key, MESSAGES)
    const requests = [
      ['create_wallet', `{"policy":${document}}`],
      ['set_wallet_policy', `{"pkp_id":"${pkp_id}","policy":${document}}`],
      [
        'simulate_signature',
        `{"pkp_id":"${pkp_id}","request":{"kind":"message","message":"m"},"policy":${document}}`,
      ],
    ] as const
    for (const [name, body] of requests) {
      const answer = await origin.core(name, { key, text: body, method: 'POST' })
      expect([name, answer.status, answer.body.message]).toEqual([
        name,
        400,
        expect.stringMatching(expected),
      ])
    }
  })

  it('oversize body: is not read', async () => {
    const { pkp_id } = await origin.policyWallet(key, MESSAGES)
    const request = { kind: 'message', message: 'm'.repeat(POLICY_BODY_MAX_BYTES) }
    expect((await simulate(pkp_id, request)).status).toBe(413)
  })

  it('duplicate members of a request: are refused, because signers read them differently', async () => {
    const { pkp_id } = await origin.policyWallet(key, PAYMENTS)
    const request = JSON.stringify(payment('1')).replace('"value":', '"value":"99","value":')
    const body = `{"pkp_id":"${pkp_id}","request":${request}}`
    const answer = await origin.core('simulate_signature', { key, text: body, method: 'POST' })
    expect([answer.status, answer.body.message]).toEqual([
      400,
      'request.transaction.value: the member occurs twice',
    ])
  })

  it('prototype names in a request: are fields that nobody knows', async () => {
    const { pkp_id } = await origin.policyWallet(key, PAYMENTS)
    const request = JSON.stringify(payment('1')).replace(
      '"transaction":{',
      `"transaction":{"__proto__":{"to":"${SUPPLIER}"},`,
    )
    const body = `{"pkp_id":"${pkp_id}","request":${request}}`
    const answer = await origin.core('simulate_signature', { key, text: body, method: 'POST' })
    expect(answer.body).toMatchObject({ decision: 'deny', code: 'unknown_field' })
  })
})

describe('a ChainSecured account', () => {
  const SET = 'set_wallet_policy_with_signature'
  const CREATE = 'create_wallet_with_signature'
  type Admin = Awaited<ReturnType<typeof secured>>['admin']
  type Signer = Pick<Wallet, 'address' | 'signTypedData'>

  async function secured() {
    const account = await origin.account()
    const usage = await origin.usageKey(account, {})
    const { privateKey, address } = await makeChainSecured(origin, account)
    await provider.send('anvil_setBalance', [address, '0x8ac7230489e80000'])
    const admin = new Wallet(privateKey, provider)
    return { admin, usage, account, hash: origin.hashOf(account) }
  }
  let one: ReturnType<typeof secured> | undefined
  /** An account shared by tests that do not depend on its other wallets. */
  const shared = () => (one ??= secured())

  async function write(admin: Admin, name: string, ...args: unknown[]): Promise<void> {
    const { contractAddress } = origin.services.chain
    const contract = new Contract(contractAddress, accountConfigAbi, admin)
    const call = contract.getFunction(name)
    // Setting a policy costs more in the second after it was last set.
    const gasLimit = ((await call.estimateGas(...args)) * 3n) / 2n
    const receipt = await (await call.send(...args, { gasLimit })).wait()
    await origin.services.mirror.syncTo(receipt!.blockNumber, receipt!.blockHash)
  }

  /** The ABI of clients has no errors. */
  async function isReverted(writing: Promise<void>, errorName: string): Promise<void> {
    const error = await writing.catch((reason: unknown) => reason)
    expect(decodeRevert(error)).toMatchObject({ errorName })
  }

  const proofToCreate = (admin: Signer, policy: object, changes = {}) =>
    signedBy(admin, 'CreatePolicyWallet', origin, {
      terms: { policyHash: hashOf(policy) },
      ...changes,
    })
  const proofToSet = (admin: Admin, pkpId: string, policy: object, changes = {}) =>
    signedBy(admin, 'SetWalletPolicy', origin, {
      terms: { pkpId, policyHash: hashOf(policy) },
      ...changes,
    })
  const ask = (name: string, body: object) => origin.core(name, { body })
  const termsOf = ({ policy_hash, change_delay_s, is_immutable }: any) => [
    policy_hash,
    change_delay_s,
    is_immutable,
  ]

  /** Creates a wallet with a policy, and registers it. */
  async function policyWallet(policy: object) {
    const { admin, hash, ...account } = await shared()
    const { status, body } = await ask(CREATE, { ...(await proofToCreate(admin, policy)), policy })
    expect(status).toBe(200)
    const { pkp_id: pkpId, derivation_path: path, attestation } = body
    const args = [hash, pkpId, path, 'till', '', termsOf(body), attestation]
    await write(admin, 'registerPolicyWallet', ...args)
    return { admin, hash, pkpId, ...account }
  }

  it('registers a wallet with the attestation of the service', async () => {
    const { pkpId, account } = await policyWallet(PAYMENTS)
    expect(recordOf(pkpId, account).policy).toMatchObject({ hash: hashOf(PAYMENTS) })
  })

  it('gets the same fields as before without a policy', async () => {
    const { admin } = await shared()
    const { body } = await ask(CREATE, await signedBy(admin, 'CreateWallet', origin))
    expect(Object.keys(body).toSorted()).toEqual(['derivation_path', 'pkp_id', 'wallet_address'])
  })

  it('changes a policy, and the contract accepts exactly what the service states', async () => {
    const policy = payments('100', { change_delay_s: 3_600 })
    const { admin, hash, pkpId, account } = await policyWallet(policy)
    const proof = await proofToSet(admin, pkpId, MESSAGES)
    const { status, body } = await ask(SET, { ...proof, pkp_id: pkpId, policy: MESSAGES })
    expect([status, body]).toEqual([
      200,
      {
        pkp_id: pkpId,
        replaces: hashOf(policy),
        policy_hash: hashOf(MESSAGES),
        change_delay_s: 0,
        is_immutable: false,
        at_once: false,
        attestation: expect.any(String),
      },
    ])
    const { attestation } = body
    const args = (atOnce: boolean) => [
      hash,
      pkpId,
      hashOf(policy),
      termsOf(body),
      atOnce,
      attestation,
    ]
    // The admin cannot skip the delay, or lie about the terms.
    await isReverted(write(admin, 'setWalletPolicy', ...args(true)), 'PolicyNotAttested')
    await write(admin, 'setWalletPolicy', ...args(false))
    expect(recordOf(pkpId, account).policy).toMatchObject({
      hash: hashOf(policy),
      pending: { hash: hashOf(MESSAGES) },
    })
  })

  it('reads and simulates with X-Wallet-Auth, and with its usage keys', async () => {
    const { admin, usage, pkpId, account } = await policyWallet(PAYMENTS)
    for (const more of [{ headers: await walletAuth(admin, origin) }, { key: usage }]) {
      expect((await getPolicy(pkpId, more)).body.policy).toEqual(PAYMENTS)
      expect((await simulate(pkpId, payment('1'), {}, more)).body.decision).toBe('allow')
    }
    expect((await getPolicy(pkpId, { key: account })).status).toBe(403)
    const answer = await setPolicy(pkpId, MESSAGES, { key: account })
    expect(answer.status).toBe(403)
    expect(answer.body.fix).toContain('setWalletPolicy')
    const creation = await origin.core('create_wallet', {
      key: account,
      body: { policy: PAYMENTS },
    })
    expect(creation.body.fix).toContain('registerPolicyWallet')
  })

  it('gets an attestation that a change which only tightens need not wait', async () => {
    const delay = { change_delay_s: 3_600 }
    const { admin, hash, pkpId, account } = await policyWallet(payments('100', delay))
    const policy = payments('1', delay)
    const proof = await proofToSet(admin, pkpId, policy)
    const { body } = await ask(SET, { ...proof, pkp_id: pkpId, policy })
    const { at_once, replaces, attestation } = body
    expect(at_once).toBe(true)
    const args = [hash, pkpId, replaces, termsOf(body), at_once, attestation]
    await write(admin, 'setWalletPolicy', ...args)
    expect(recordOf(pkpId, account).policy).toMatchObject({ hash: hashOf(policy) })
    expect(recordOf(pkpId, account).policy!.pending).toBeUndefined()
  })

  it('gets 409 for a wallet without a policy, and for an immutable one', async () => {
    const { pkpId, admin, hash } = await policyWallet({ ...PAYMENTS, immutable: true })
    const proof = await proofToSet(admin, pkpId, MESSAGES)
    const answer = await ask(SET, { ...proof, pkp_id: pkpId, policy: MESSAGES })
    expect(codeOf(answer)).toEqual([409, 'policy_is_immutable'])
    const { body: plain } = await ask(CREATE, await signedBy(admin, 'CreateWallet', origin))
    await write(
      admin,
      'registerWalletDerivation',
      hash,
      plain.pkp_id,
      plain.derivation_path,
      '',
      '',
    )
    const other = await proofToSet(admin, plain.pkp_id, MESSAGES)
    expect(codeOf(await ask(SET, { ...other, pkp_id: plain.pkp_id, policy: MESSAGES }))).toEqual([
      409,
      'wallet_has_no_policy',
    ])
  })

  describe('attack', () => {
    it('signature for another policy: creates and sets nothing', async () => {
      const { admin, pkpId } = await policyWallet(PAYMENTS)
      const created = await proofToCreate(admin, PAYMENTS)
      const set = await proofToSet(admin, pkpId, PAYMENTS)
      for (const answer of [
        await ask(CREATE, { ...created, policy: MESSAGES }),
        await ask(SET, { ...set, pkp_id: pkpId, policy: MESSAGES }),
      ])
        expect([answer.status, answer.body.message]).toEqual([
          400,
          expect.stringContaining('typed_data.message.policyHash: expected'),
        ])
      await expect(origin.services.policyDocuments.load(hashOf(payments('3')))).rejects.toThrow()
    })

    it('signature for another wallet: sets nothing', async () => {
      const [one_, other] = [await policyWallet(PAYMENTS), await policyWallet(PAYMENTS)]
      const proof = await proofToSet(one_.admin, one_.pkpId, MESSAGES)
      const answer = await ask(SET, { ...proof, pkp_id: other.pkpId, policy: MESSAGES })
      expect([answer.status, answer.body.message]).toEqual([
        400,
        expect.stringContaining('typed_data.message.pkpId: expected'),
      ])
    })

    it('signature for another purpose: creates no wallet with a policy, and none without', async () => {
      const { admin } = await shared()
      const plain = await signedBy(admin, 'CreateWallet', origin)
      const withPolicy = await proofToCreate(admin, PAYMENTS)
      for (const body of [{ ...plain, policy: PAYMENTS }, withPolicy]) {
        const answer = await ask(CREATE, body)
        expect([answer.status, answer.body.message]).toEqual([
          400,
          expect.stringContaining('primaryType'),
        ])
      }
      // Renamed, the signature is not the wallet's.
      const renamed = { ...withPolicy, signature: plain.signature }
      expect((await ask(CREATE, { ...renamed, policy: PAYMENTS })).status).toBe(401)
    })

    it('signature of another admin: does not change this account’s wallet', async () => {
      const { pkpId } = await policyWallet(PAYMENTS)
      const { admin } = await secured()
      const proof = await proofToSet(admin, pkpId, MESSAGES)
      const answer = await ask(SET, { ...proof, pkp_id: pkpId, policy: MESSAGES })
      expect(codeOf(answer)).toEqual([404, 'wallet_does_not_exist'])
    })

    it('replayed proof: is worthless after its window, and changes nothing before', async () => {
      const { admin, pkpId, account } = await policyWallet(PAYMENTS)
      const body = {
        ...(await proofToSet(admin, pkpId, MESSAGES)),
        pkp_id: pkpId,
        policy: MESSAGES,
      }
      const [first, again] = [await ask(SET, body), await ask(SET, body)]
      expect(again.body).toEqual(first.body)
      expect(recordOf(pkpId, account).policy!.hash).toBe(hashOf(PAYMENTS))
      origin.clock.aheadMs = 400_000
      expect((await ask(SET, body)).status).toBe(401)
    })

    it('replayed attestation: sets nothing once another policy holds, and nothing in another account', async () => {
      const { admin, hash, pkpId } = await policyWallet(PAYMENTS)
      const attested = async (policy: object) => {
        const proof = await proofToSet(admin, pkpId, policy)
        return (await ask(SET, { ...proof, pkp_id: pkpId, policy })).body
      }
      const loose = await attested(payments('1000'))
      const args = [pkpId, hashOf(PAYMENTS), termsOf(loose), loose.at_once, loose.attestation]
      await write(admin, 'setWalletPolicy', hash, ...args)
      const strict = await attested(payments('1'))
      const strictly = [termsOf(strict), strict.at_once, strict.attestation]
      await write(admin, 'setWalletPolicy', hash, pkpId, strict.replaces, ...strictly)
      await isReverted(write(admin, 'setWalletPolicy', hash, ...args), 'PolicyChanged')
      const current = [pkpId, strict.policy_hash, termsOf(loose), true, loose.attestation]
      await isReverted(write(admin, 'setWalletPolicy', hash, ...current), 'PolicyNotAttested')
    })

    it('expensive document: is parsed only for a signature that is valid', async () => {
      const { admin } = await shared()
      const proof = await proofToCreate(admin, PAYMENTS)
      const { signature } = await proofToCreate(Wallet.createRandom(), PAYMENTS, {
        address: admin.address,
      })
      const answer = await ask(CREATE, { ...proof, signature, policy: { version: 'broken' } })
      expect(answer.status).toBe(401)
    })

    it('usage key that the admin registered: cannot set a policy', async () => {
      const { admin, hash, pkpId } = await policyWallet(PAYMENTS)
      const usage = Buffer.alloc(32, 7).toString('base64')
      const rights = grants({ executeInGroups: [0], canCreatePkps: true })
      await write(admin, 'setUsageApiKey', hash, origin.hashOf(usage), rights)
      expect((await setPolicy(pkpId, MESSAGES, { key: usage })).status).toBe(403)
    })
  })
})
