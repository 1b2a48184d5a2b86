/** The commands of `svc wallet` that send policies to a service, or show what a service returns. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { OTHER_PAYEE, PAYROLL, policyOf, THIEF, transaction } from '../policies/requests.ts'
import { type Surroundings, svc } from './command-line.ts'

const KEY = Buffer.alloc(32, 7).toString('base64')
const WALLET = '0x2222222222222222222222222222222222222222'
const PKP = `0x${'0'.repeat(24)}${WALLET.slice(2)}`
const IDS = { wallet_address: WALLET, pkp_id: PKP }
const SUM_KEY = 'USDC a day/1/0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48'
const LATER = '2026-07-02T12:00:00.000Z'

let server: Server
let base: string
let answers: Record<string, object>
const asked: { path: string; body: any }[] = []
const folder = mkdtempSync(join(tmpdir(), 'svc-policy-service-'))
const environment = { SVC_CONFIG_DIR: join(folder, 'config'), SVC_API_KEY: KEY }

beforeAll(async () => {
  server = createServer((request, response) => {
    void text(request).then((sent) => {
      const path = request.url!.replace('/core/v1/', '')
      asked.push({ path, body: sent === '' ? undefined : JSON.parse(sent) })
      response.writeHead(200, { 'content-type': 'application/json' })
      response.end(JSON.stringify(answers[path.split('?')[0]!]))
    })
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  base = `http://localhost:${(server.address() as AddressInfo).port}`
})
beforeEach(() => {
  asked.length = 0
  answers = { get_wallet_policy: held() }
})
afterAll(() => {
  server.close()
  rmSync(folder, { recursive: true })
})

/** Response of the service for a wallet under a policy. */
const held = (policy: object = PAYROLL, others: object = {}) => ({
  ...IDS,
  policy_hash: policyOf(policy).hash,
  policy: policyOf(policy).document,
  set_at: '2026-07-01T12:00:00.000Z',
  pending: null,
  sums: [],
  ...others,
})

const wallet = (words: string[], around: Surroundings = {}) =>
  svc(['wallet', ...words, '--base-url', base], { environment, folder, ...around })

function write(name: string, value: object): string {
  writeFileSync(join(folder, name), JSON.stringify(value))
  return name
}

/** Sets a policy of which the service says that it holds at once, or later. */
function set(policy: object, { at, ...around }: Surroundings & { at?: string } = {}) {
  const { hash } = policyOf(policy)
  answers['set_wallet_policy'] =
    at === undefined
      ? { ...IDS, policy_hash: hash, pending: null }
      : {
          ...IDS,
          policy_hash: policyOf(PAYROLL).hash,
          pending: { policy_hash: hash, effective_at: at },
        }
  return wallet(['policy', 'set', WALLET, write('next.json', policy)], around)
}

const withSum = (max: string) => ({ ...PAYROLL, sums: [{ ...PAYROLL.sums[0], max }] })

describe('svc wallet policy set', () => {
  it('prints what changes, and that it has taken effect', async () => {
    const tighter = withSum('50000000')
    const { code, out } = await set(tighter)
    expect(code).toBe(0)
    expect(out).toBe(`- USDC a day: at most 100000000 units of USDC in 1 day, for each token.
+ USDC a day: at most 50000000 units of USDC in 1 day, for each token.

holds  ${policyOf(tighter).hash}
The change has taken effect.
`)
    expect(asked.at(-1)).toEqual({
      path: 'set_wallet_policy',
      body: {
        pkp_id: WALLET,
        policy: policyOf(tighter).document,
        replaces: policyOf(PAYROLL).hash,
      },
    })
  })

  it('prints the time at which a change that loosens the policy takes effect', async () => {
    const { out } = await set(withSum('200000000'), { at: LATER })
    expect(out).toContain('+ USDC a day: at most 200000000 units')
    expect(out).toContain('It takes effect at 2026-07-02 12:00:00Z.')
  })

  it('prints a change that the words of the rules do not show: a recipient hidden in a list', async () => {
    const addresses = [...PAYROLL.lists[0]!.addresses, THIEF]
    const { out } = await set({ ...PAYROLL, lists: [{ name: 'payees', addresses }] })
    expect(out.split('\n')[0]).toBe(`+ @payees contains ${THIEF.toLowerCase()}.`)
  })

  it('prints a new delay, and that only the order of rules changes', async () => {
    expect((await set({ ...PAYROLL, change_delay_s: 60 })).out).toContain(
      '- Changes that loosen the policy take effect after 0 seconds.\n' +
        '+ Changes that loosen the policy take effect after 60 seconds.\n',
    )
    const deny = { name: 'never', effect: 'deny', kind: 'message', messages: 'any' }
    answers['get_wallet_policy'] = held({ ...PAYROLL, rules: [...PAYROLL.rules, deny] })
    const { out } = await set({ ...PAYROLL, rules: [deny, ...PAYROLL.rules] })
    expect(out).toMatch(/^Only the order changes\. The first rule that matches decides\.\n/)
  })

  it('reports that the policy that holds was set again, which cancels a pending change', async () => {
    expect((await set(PAYROLL)).out).toMatch(/\nThe wallet already had this policy\.\n$/)
    const policy = withSum('200000000')
    const pending = { policy_hash: policyOf(policy).hash, policy, effective_at: LATER }
    answers['get_wallet_policy'] = held(PAYROLL, { pending })
    expect((await set(PAYROLL)).out).toContain(
      `The pending change to ${pending.policy_hash} is canceled.`,
    )
  })

  it('asks before it sets an immutable policy, which can never be changed', async () => {
    const immutable = { ...PAYROLL, immutable: true }
    for (const around of [{}, { typed: 'n' }]) {
      const { err } = await set(immutable, around)
      expect(err).toMatch(/^\+ The policy can never be changed\.\n(svc: )?This policy can never /)
    }
    expect(asked.map(({ path }) => path)).not.toContain('set_wallet_policy')
    expect((await set(immutable, { typed: 'y' })).out).toContain('The change has taken effect.')
  })

  it('sends nothing for an invalid policy, and names the problem by its path', async () => {
    const file = write('invalid.json', { ...PAYROLL, version: 2 })
    for (const words of [
      ['policy', 'set', WALLET, file],
      ['create', '--policy', file],
    ]) {
      const { code, err } = await wallet(words)
      expect(code).toBe(2)
      expect(err).toContain('invalid.json is not a valid policy:\n     version: ')
    }
    expect(asked).toEqual([])
  })
})

describe('svc wallet policy show', () => {
  it('prints the rules in words, what remains of each sum, and a pending change', async () => {
    const addresses = [OTHER_PAYEE]
    const policy = { ...PAYROLL, lists: [{ name: 'payees', addresses }] }
    answers['get_wallet_policy'] = held(PAYROLL, {
      sums: [
        {
          sum: 'USDC a day',
          key: SUM_KEY,
          remaining: '75000000',
          max: '100000000',
          window_s: 86_400,
        },
      ],
      pending: { policy_hash: policyOf(policy).hash, policy, effective_at: LATER },
    })
    const { code, out } = await wallet(['policy', 'show', WALLET])
    expect(code).toBe(0)
    expect(asked).toMatchObject([{ path: `get_wallet_policy?pkp_id=${WALLET}` }])
    expect(out).toContain(
      `hash    ${policyOf(PAYROLL).hash}\nset at  2026-07-01 12:00:00Z\n\n1. pay: `,
    )
    expect(out).toContain(`Remaining:\n${SUM_KEY}  75000000 of 100000000 remain\n`)
    expect(out).toMatch(/Pending until 2026-07-02 12:00:00Z: 0x\w{64}\n- @payees contains 0x7099/)
  })

  it('prints sums that nothing was added to as unused', async () => {
    const { out } = await wallet(['policy', 'show', WALLET])
    expect(out).toMatch(/Remaining:\nUSDC a day {2}100000000 of 100000000 remain\n$/)
  })
})

describe('svc wallet policy simulate --wallet', () => {
  const simulated = {
    decision: 'deny',
    code: 'over_sum',
    rule: 'pay',
    policy_hash: policyOf(PAYROLL).hash,
    explanation: ['Sends 25 of USDC.', 'Denied, because 0 remain.'],
    sums: [
      {
        sum: 'USDC a day',
        key: SUM_KEY,
        added: '25000000',
        remaining: '0',
        max: '100000000',
        window_s: 86_400,
      },
    ],
  }
  const simulate = (...words: string[]) =>
    wallet(['policy', 'simulate', '--request', write('request.json', transaction()), ...words])

  it('decides by the policy that holds, and exits with 1 for a denial', async () => {
    answers['simulate_signature'] = simulated
    const cid = 'QmYwAPJzv5CZsnA625s3Xf2nemtYgPpHdWEz79ojWnPBdG'
    const { code, out } = await simulate('--wallet', WALLET, '--action', cid)
    expect(code).toBe(1)
    expect(out).toBe(`DENIED   over_sum
Sends 25 of USDC.
Denied, because 0 remain.

Sums:
${SUM_KEY}  25000000 added  0 of 100000000 remain
`)
    const { body } = asked[0]!
    expect(body).toEqual({ pkp_id: WALLET, request: transaction(), action_ipfs_cid: cid })
  })

  it('does not print escape sequences of the service', async () => {
    const evil = 'pay\u001b[2J\u202e\r'
    answers['simulate_signature'] = { ...simulated, decision: 'allow', rule: evil, code: undefined }
    const { code, out } = await simulate('--wallet', WALLET)
    expect(code).toBe(0)
    expect(out.split('\n')[0]).toBe('ALLOWED  pay?[2J??')
  })

  it.each([
    [[], /expected a policy document, or --wallet/],
    [
      ['--wallet', WALLET, '--at', '2026-07-01T12:00:00Z'],
      /--sums and --at need a policy document/,
    ],
  ])('exits with 2 for the options %j without a document', async (words, expected) => {
    const { code, err } = await simulate(...words)
    expect([code, err]).toEqual([2, expect.stringMatching(expected)])
    expect(asked).toEqual([])
  })
})

it('svc wallet create --policy creates a wallet, and svc wallet list marks it', async () => {
  const { hash, document } = policyOf(PAYROLL)
  answers['create_wallet'] = { ...IDS, policy_hash: hash }
  const { out } = await wallet(['create', '--policy', write('policy.json', PAYROLL)])
  expect(out).toBe(`address  ${WALLET}\nid       ${PKP}\npolicy   ${hash}\n`)
  expect(asked[0]!.body).toEqual({ name: '', description: '', policy: document })
  const plain = { ...IDS, name: 'plain', description: '', derivation_path: PKP }
  answers['list_wallets'] = [plain, { ...plain, name: 'limited', policy_hash: hash }]
  expect((await wallet(['list'])).out).toBe(
    `${WALLET}  -                   plain\n${WALLET}  policy ${hash.slice(0, 10)}…  limited\n`,
  )
})
