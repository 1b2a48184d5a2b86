/** Tests docs/derived-actions.md in the sandbox: the source is trusted, the params are not. */
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { type HDNodeWallet, verifyMessage, Wallet } from 'ethers'
import { beforeAll, describe, expect, it } from 'vitest'
import { WILDCARD } from '../../../shared/cid/wildcard.ts'
import { capabilityFor } from '../../../origin/runs/capability.ts'
import { ACTION_STATEMENT_TYPE } from '../../../shared/receipts/action-statement.ts'
import { deriveAction, type DerivedAction } from '../../../shared/derived-action/derive-action.ts'
import { ACTION_LOOKUPS_PER_MINUTE, JSON_DEPTH_MAX } from '../../../shared/limits.ts'
import { accountOf, keyring } from '../runs/wallet-holder.ts'
import { failed, returned, sharedPool } from './sandbox.ts'

const path = fileURLToPath(new URL('../../../docs/derived-actions.md', import.meta.url))
const page = readFileSync(path, 'utf8')
const [, TEMPLATE = ''] = /^```js\n(async function template.*?^}\n)```$/ms.exec(page) ?? []

const [alice, bob, carol, mallory] = [
  Wallet.createRandom(),
  Wallet.createRandom(),
  Wallet.createRandom(),
  Wallet.createRandom(),
]
const approvers = [alice, bob, carol].map(({ address }) => address)
const MANIFEST = { approvers, threshold: 2, limit: 1_000 }
const TO = mallory.address

const account = accountOf('account', ['permitted'], [])
const group = { ...account.groups.get(1)!, cidHashes: new Set([WILDCARD]) }
const holder = { account: { ...account, groups: new Map([[1, group]]) }, keyHash: account.hash }

const sandbox = sharedPool()
let action: DerivedAction
let other: DerivedAction
beforeAll(async () => {
  action = await deriveAction(TEMPLATE, MANIFEST)
  other = await deriveAction(TEMPLATE, { ...MANIFEST, limit: 2_000 })
})

/** Runs an action, as any holder of a usage key can. @param params JSON */
function run({ source, cid }: DerivedAction, params: string) {
  return sandbox.run(
    source,
    { params },
    capabilityFor(keyring, cid, () => holder),
  )
}
const addressOf = ({ cid }: DerivedAction) => keyring.actionPublicKey(cid).address
const textFor = (of: DerivedAction, amount: number) =>
  `${addressOf(of)} pays ${amount} to ${TO} as payment 7`
const signedBy = (wallets: HDNodeWallet[], text: string) =>
  Promise.all(wallets.map((wallet) => wallet.signMessage(text)))
const payment = (signatures: string[], changes: object = {}) => ({
  to: TO,
  amount: 500,
  number: 7,
  signatures,
  ...changes,
})

describe('the example of docs/derived-actions.md', () => {
  it('signs a payment with its own key if enough approvers of the manifest signed it', async () => {
    const text = textFor(action, 500)
    const signatures = await signedBy([carol, alice], text)
    const result = returned(await run(action, JSON.stringify(payment(signatures))))
    const response = JSON.parse(result.value)
    expect(response.text).toBe(text)
    expect(verifyMessage(text, response.signature)).toBe(addressOf(action))
  })

  /** Returns the error message of a rejected attack. */
  const refused = async (params: object | string) => {
    const text = typeof params === 'string' ? params : JSON.stringify(params)
    return failed(await run(action, text)).message
  }

  it('bare usage key: running the action does not count as an approval', async () => {
    expect(await refused(payment([]))).toBe('approved by 0, and it takes 2')
  })

  it('forged approval: a signature of a signer outside the manifest does not count', async () => {
    const signatures = await signedBy([alice, mallory], textFor(action, 500))
    expect(await refused(payment(signatures))).toBe('approved by 1, and it takes 2')
  })

  it('repeated approval: two signatures of one approver count once', async () => {
    const signatures = await signedBy([alice, alice], textFor(action, 500))
    expect(await refused(payment(signatures))).toBe('approved by 1, and it takes 2')
  })

  it('altered params: signatures do not count for another amount, number or recipient', async () => {
    const signatures = await signedBy([alice, bob], textFor(action, 500))
    for (const change of [{ amount: 501 }, { number: 8 }, { to: alice.address }])
      expect(await refused(payment(signatures, change))).toBe('approved by 0, and it takes 2')
  })

  it('replay at another action: the same template with another manifest has another wallet', async () => {
    const signatures = await signedBy([alice, bob], textFor(other, 500))
    expect(addressOf(other)).not.toBe(addressOf(action))
    expect(await refused(payment(signatures))).toBe('approved by 0, and it takes 2')
    expect((await run(other, JSON.stringify(payment(signatures)))).kind).toBe('returned')
  })

  it('params in place of the manifest: no name in the params overrides it', async () => {
    const manifest = { approvers: [mallory.address], threshold: 1, limit: 1e9 }
    const signatures = await signedBy([mallory], textFor(action, 5_000))
    const own = payment(signatures, { ...manifest, MANIFEST: manifest, amount: 5_000 })
    expect(await refused(own)).toBe('the amount is not within the limit')
    const inherited = JSON.stringify(payment(signatures)).replace(
      /^\{/,
      `{"__proto__":${JSON.stringify(manifest)},`,
    )
    expect(await refused(inherited)).toBe('approved by 0, and it takes 2')
  })

  it.each([0, -1, 1.5, 1_001, '500', null, [500]])(
    'unchecked params: rejects an amount of %j before it counts signatures',
    async (amount) => {
      const signatures = await signedBy([alice, bob], textFor(action, 500))
      expect(await refused(payment(signatures, { amount }))).toContain('not within the limit')
    },
  )
})

describe('a manifest in the sandbox', () => {
  const SHOW = 'const template = (manifest) => JSON.stringify(manifest)'
  const deep = '['.repeat(JSON_DEPTH_MAX - 1) + ']'.repeat(JSON_DEPTH_MAX - 1)

  it.each<[string, unknown]>([
    ['line separators', '\u2028\u2029'],
    ['what ends other texts', '</script> <!-- --> */ // ` ${1} \\u0022 \' "'],
    ['control characters, and those beyond the first plane', '\u0000\u001f\u007f\u{10ffff}'],
    ['the largest and smallest numbers', [2 ** 53 - 1, 1 - 2 ** 53, 0]],
    ['names of every kind', { 10: 1, 9: 2, constructor: 3, toJSON: 4, '': 5, 'a b': 6 }],
    ['as many levels as there may be', JSON.parse(deep)],
  ])('equals the manifest it was derived with: %s', async (_what, value) => {
    const { source } = await deriveAction(SHOW, { value })
    const shown = String(await sandbox.value(source))
    expect(JSON.parse(shown)).toEqual({ value })
  })
})

describe('docs/derived-actions.md', () => {
  it('documents the actual form of the source, limits and statement type', async () => {
    const { source } = await deriveAction('const template = () => 1', {})
    const [, form = ''] = /^```\n(<template>.*?)```$/ms.exec(page) ?? []
    const filled = form
      .replace('<template>', 'const template = () => 1')
      .replace('<canonical JSON of the manifest>', '{}')
    expect(filled).toBe(source)
    expect(page).toContain(`at most ${JSON_DEPTH_MAX} levels`)
    expect(page).toContain(`gets ${ACTION_LOOKUPS_PER_MINUTE} new keys in a minute`)
    expect(page).toContain(`\`${ACTION_STATEMENT_TYPE}\``)
  })
})
