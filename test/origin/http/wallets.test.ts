import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createWalletOperation } from '../../../origin/http/create-wallet.ts'
import { addressFromPrivateKey } from '../../../origin/keys/keyring.ts'
import { startOrigin, type TestOrigin } from './origin.ts'

let origin: TestOrigin
let key: string
beforeAll(async () => {
  origin = await startOrigin()
  key = await origin.account()
})
afterAll(() => origin.close())

const list = async (query = '', used = key) =>
  origin.call(`/core/v1/list_wallets${query}`, { key: used })

describe('list_wallets', () => {
  it('shows each wallet with its name, description and derivation path', async () => {
    const body = { name: 'till', description: 'pays' }
    const made = (await origin.core('create_wallet', { key, body })).body
    const [wallet] = (await list()).body
    expect(wallet).toEqual({
      ...made,
      ...body,
      derivation_path: expect.stringMatching(/^0x[0-9a-f]{64}$/),
    })
    const derived = origin.services.keyring.walletKey(origin.hashOf(key), wallet.derivation_path)
    expect(addressFromPrivateKey(derived)).toBe(wallet.wallet_address)
  })

  it('shows no wallet of another account', async () => {
    await origin.wallet(key)
    const answer = await list('', await origin.account())
    expect([answer.body, answer.headers.get('x-total-count')]).toEqual([[], '0'])
  })

  it('returns pages', async () => {
    const account = await origin.account()
    const made: string[] = []
    for (const _each of [1, 2, 3]) made.push((await origin.wallet(account)).wallet_address)
    const page = async (query: string) =>
      (await list(query, account)).body.map((wallet: any) => wallet.wallet_address)
    expect(await page('')).toEqual(made)
    expect(await page('?page_size=2')).toEqual(made.slice(0, 2))
    expect(await page('?page_size=2&page_number=1')).toEqual(made.slice(2))
    expect(await page('?page_size=2&page_number=9')).toEqual([])
    expect((await list('?page_size=201', account)).status).toBe(400)
  })
})

describe('a wallet that a usage key creates', () => {
  it('belongs to the account', async () => {
    const usage = await origin.usageKey(key, { can_create_pkps: true })
    const made = await origin.wallet(usage)
    expect((await list()).body).toContainEqual(expect.objectContaining(made))
  })
})

describe('attack: a registration of another account’s wallet', () => {
  it('gives its private key to no action of the account that registered it', async () => {
    const thief = await origin.account()
    const { pkp_id, derivation_path } = (await list()).body[0]
    const args = [origin.hashOf(thief), pkp_id, derivation_path, 'mine', '']
    await origin.services.writer.write('registerWalletDerivation', args)
    await origin.group(thief, { pkp_ids_permitted: [pkp_id], cid_hashes_permitted: [0] })
    const steal = 'async function main({ pkpId }) { return Svc.Actions.getPrivateKey({ pkpId }) }'
    expect((await origin.run(thief, steal, { pkpId: pkp_id })).status).toBe(500)
  })
})

describe('a write that one process sent without getting the response', () => {
  it('returns to another process the wallet that it created, and not a new one', async () => {
    const account = await origin.account()
    const writeId = crypto.randomUUID()
    const answers: any[] = []
    for (const _repeat of [1, 2]) {
      const principal = origin.services.mirror.current().principal(origin.hashOf(account))!
      const body = { name: '', description: '' }
      const given: any = { principal, body, writeId, audit: () => undefined }
      answers.push(await createWalletOperation.handle(given, origin.services))
    }
    expect(answers[1]).toEqual(answers[0])
    expect((await list('', account)).body).toHaveLength(1)
  })
})
