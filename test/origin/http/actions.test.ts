import { computeAddress, id, verifyMessage, zeroPadValue } from 'ethers'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startOrigin, type TestOrigin } from './origin.ts'

let origin: TestOrigin
let key: string
beforeAll(async () => {
  origin = await startOrigin()
  key = await origin.account()
})
afterAll(() => origin.close())

const SIGN = `async function main({ pkpId, message }) {
  const wallet = new ethers.Wallet(await Svc.Actions.getPrivateKey({ pkpId }))
  return { address: wallet.address, signature: await wallet.signMessage(message) }
}`
const GET_KEY = `async function main({ pkpId }) { return Svc.Actions.getPrivateKey({ pkpId }) }`
const ZERO_WORD = `0x${'0'.repeat(64)}`
const ZERO_ADDRESS = `0x${'0'.repeat(40)}`
const cidOf = async (code: string): Promise<string> =>
  (await origin.core('get_svc_action_ipfs_id', { body: code })).body

describe('svc_action', () => {
  it('passes on every key of js_params, whatever its name', async () => {
    const code = 'async function main(params) { return Object.keys(params) }'
    const text = `{"code":${JSON.stringify(code)},"js_params":{"__proto__":1,"a":2}}`
    const answer = await origin.core('svc_action', { key: await origin.account(), text })
    expect(answer.body.response).toEqual(['__proto__', 'a'])
  })

  it('returns the result, the logs and the CID of the action', async () => {
    const code = `async function main({ n }) { console.log('n is', n); return { twice: n * 2 } }`
    const { status, body, headers } = await origin.run(key, code, { n: 21 })
    expect(status).toBe(200)
    expect(body).toMatchObject({ response: { twice: 42 }, logs: 'n is 21', has_error: false })
    expect(body.action_cid).toBe(await cidOf(code))
    expect(body.duration_ms).toBeGreaterThan(0)
    expect(headers.has('x-svc-error')).toBe(false)
  })

  it('returns null for an action that returns nothing', async () => {
    expect((await origin.run(key, 'async function main() {}')).body.response).toBe(null)
  })

  it.each([
    [
      'action_threw',
      `async function main() { console.log('before'); throw new TypeError('no luck') }`,
      /TypeError: no luck[\s\S]*action\.js:1[\s\S]*\n\nlogs:\nbefore$/,
    ],
    ['no_main', 'const a = 1', /main/],
    ['action_threw', 'async function main( {', /SyntaxError/],
    ['result_not_json', 'async function main() { return { a: 10n } }', /a/],
    ['action_timeout', 'async function main() { for (;;) {} }', /time/],
    [
      'key_operation_limit',
      `async function main() {
        for (let n = 0; n < 11; n++) await Svc.Actions.getSvcActionPrivateKey()
      }`,
      /at most 10 key operations/,
    ],
  ])('returns 500 with a JSON string and a code after %s', async (code, source, text) => {
    const answer = await origin.run(key, source)
    expect([answer.status, answer.headers.get('x-svc-error')]).toEqual([500, code])
    expect(answer.body).toMatch(text)
    expect(answer.body).toContain('\n\nlogs:\n')
  })

  it('gives an action the key of its own source, and its address to anyone', async () => {
    const own = 'async function main() { return Svc.Actions.getSvcActionPrivateKey() }'
    const look = `async function main({ ipfsId }) {
      return [
        await Svc.Actions.getSvcActionWalletAddress({ ipfsId }),
        await Svc.Actions.getSvcActionPublicKey({ ipfsId }),
      ]
    }`
    const secret = (await origin.run(key, own)).body.response
    const [address, publicKey] = (
      await origin.run(await origin.account(), look, { ipfsId: await cidOf(own) })
    ).body.response
    expect(computeAddress(secret)).toBe(address)
    expect(computeAddress(publicKey)).toBe(address)
  })
})

describe('a wallet', () => {
  it('signs in an action that its group permits, for a usage key of that group', async () => {
    const account = await origin.account()
    const { wallet_address, pkp_id } = await origin.wallet(account)
    const actions = [id(await cidOf(SIGN)), id(await cidOf(GET_KEY))]
    const permits = { pkp_ids_permitted: [pkp_id], cid_hashes_permitted: actions }
    const group = await origin.group(account, permits)
    const usage = await origin.usageKey(account, { execute_in_groups: [group] })
    const signed = await origin.run(usage, SIGN, { pkpId: wallet_address, message: 'hi' })
    expect(verifyMessage('hi', signed.body.response.signature)).toBe(wallet_address)
    for (const pkpId of [pkp_id, wallet_address.toLowerCase()])
      expect(computeAddress((await origin.run(usage, GET_KEY, { pkpId })).body.response)).toBe(
        wallet_address,
      )
  })

  it('is denied to an action in no group, with a hint on what would permit it', async () => {
    const { wallet_address: pkpId } = await origin.wallet(key)
    const answer = await origin.run(key, GET_KEY, { pkpId })
    expect([answer.status, answer.headers.get('x-svc-error')]).toEqual([500, 'action_threw'])
    expect(answer.body).toContain('add_pkp_to_group')
  })

  it('is denied outside the group, even if another group of the key permits it', async () => {
    const account = await origin.account()
    const [inside, outside] = [await origin.wallet(account), await origin.wallet(account)]
    const action = { cid_hashes_permitted: [id(await cidOf(GET_KEY))] }
    await origin.group(account, { ...action, pkp_ids_permitted: [inside.pkp_id] })
    await origin.group(account, { pkp_ids_permitted: [outside.pkp_id] })
    const usage = await origin.usageKey(account, { execute_in_groups: [1, 2] })
    const status = async (pkpId: string) => (await origin.run(usage, GET_KEY, { pkpId })).status
    expect([await status(inside.pkp_id), await status(outside.pkp_id)]).toEqual([200, 500])
  })

  it('is not found by a wildcard, an unknown address or other text', async () => {
    const account = await origin.account()
    await origin.wallet(account)
    await origin.group(account, { pkp_ids_permitted: [ZERO_WORD], cid_hashes_permitted: [0] })
    const names = [ZERO_WORD, ZERO_ADDRESS, '', 'text', `0x${'ff'.repeat(32)}`, '0x12', 5, null]
    const code = `async function main({ names }) {
      const tries = names.map((pkpId) => Svc.Actions.getPrivateKey({ pkpId }))
      return (await Promise.allSettled(tries)).map(({ status }) => status)
    }`
    const { response } = (await origin.run(account, code, { names })).body
    expect(response).toEqual(names.map(() => 'rejected'))
  })

  it('stolen registration: registering another account’s address gives no key', async () => {
    const [victim, thief] = [await origin.account(), await origin.account()]
    const { wallet_address: pkpId, pkp_id } = await origin.wallet(victim)
    const all = { pkp_ids_permitted: [ZERO_WORD], cid_hashes_permitted: [0] }
    await origin.group(victim, all)
    await origin.group(thief, all)
    const registered = origin.services.mirror.current().account(id(victim))?.wallets.get(pkp_id)
    for (const path of [registered?.derivationPath, `0x${'01'.repeat(32)}`])
      await origin.services.writer.write('registerWalletDerivation', [
        id(thief),
        pkp_id,
        path,
        '',
        '',
      ])
    expect(origin.services.mirror.current().account(id(thief))?.wallets.has(pkp_id)).toBe(true)
    const stolen = await origin.run(thief, GET_KEY, { pkpId })
    expect([stolen.status, stolen.headers.get('x-svc-error')]).toEqual([500, 'action_threw'])
    expect(stolen.body).toContain('has no wallet')
    const { response } = (await origin.run(victim, GET_KEY, { pkpId })).body
    expect(computeAddress(response)).toBe(pkpId)
  })
})

describe('the wildcard', () => {
  it.each([[0], ['0'], ['0x0'], [ZERO_WORD]])('%j permits every action', async (all) => {
    const account = await origin.account()
    const group = await origin.group(account, { cid_hashes_permitted: [all] })
    const usage = await origin.usageKey(account, { execute_in_groups: [group] })
    expect((await origin.run(usage, 'async function main() { return 1 }')).status).toBe(200)
  })

  it.each([[ZERO_WORD], [ZERO_ADDRESS]])(
    '%s permits every wallet, including later ones',
    async (all) => {
      const account = await origin.account()
      const permits = { pkp_ids_permitted: [all], cid_hashes_permitted: [0] }
      const group = await origin.group(account, permits)
      const usage = await origin.usageKey(account, { execute_in_groups: [group] })
      const { wallet_address: pkpId } = await origin.wallet(account)
      expect((await origin.run(usage, GET_KEY, { pkpId })).status).toBe(200)
      const { wallet_address: foreign } = await origin.wallet(await origin.account())
      expect((await origin.run(usage, GET_KEY, { pkpId: foreign })).status).toBe(500)
    },
  )

  it.each([[0], ['0']])(
    '%j in execute_in_groups permits every group, including later ones',
    async (all) => {
      const account = await origin.account()
      const usage = await origin.usageKey(account, { execute_in_groups: [all] })
      const code = 'async function main() { return 1 }'
      expect((await origin.run(usage, code)).status).toBe(403)
      await origin.group(account, { cid_hashes_permitted: [id(await cidOf(code))] })
      expect((await origin.run(usage, code)).status).toBe(200)
    },
  )

  it('for actions does not permit wallets, and the other way round', async () => {
    const account = await origin.account()
    const { wallet_address: pkpId } = await origin.wallet(account)
    await origin.group(account, { cid_hashes_permitted: [0] })
    await origin.group(account, { pkp_ids_permitted: [zeroPadValue(pkpId, 32)] })
    expect((await origin.run(account, GET_KEY, { pkpId })).status).toBe(500)
    const usage = await origin.usageKey(account, { execute_in_groups: [2] })
    expect((await origin.run(usage, GET_KEY, { pkpId })).status).toBe(403)
  })
})
