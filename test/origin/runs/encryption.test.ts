import { id } from 'ethers'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startOrigin, type TestOrigin } from '../http/origin.ts'

const ENCRYPT = `const main = ({ pkpId, message }) => Svc.Actions.encrypt({ pkpId, message })`
const DECRYPT = `const main = ({ pkpId, ciphertext }) => Svc.Actions.decrypt({ pkpId, ciphertext })`

let origin: TestOrigin
let account: string
let pkpId: string
let ciphertext: string
const cidOf = async (code: string): Promise<string> =>
  (await origin.core('get_svc_action_ipfs_id', { body: code })).body

beforeAll(async () => {
  origin = await startOrigin()
  account = await origin.account()
  const wallet = await origin.wallet(account)
  pkpId = wallet.wallet_address
  const actions = [id(await cidOf(ENCRYPT)), id(await cidOf(DECRYPT))]
  const permits = { pkp_ids_permitted: [wallet.pkp_id], cid_hashes_permitted: actions }
  await origin.group(account, permits)
  ciphertext = (await origin.run(account, ENCRYPT, { pkpId, message: 'the token' })).body.response
})
afterAll(() => origin.close())

describe('a text encrypted by an action', () => {
  it('can be decrypted by an action of the wallet’s group, for a usage key of that group', async () => {
    const usage = await origin.usageKey(account, { execute_in_groups: [1] })
    const { status, body } = await origin.run(usage, DECRYPT, { pkpId, ciphertext })
    expect([status, body.response]).toEqual([200, 'the token'])
  })

  it('cannot be decrypted by an action outside the wallet’s groups, and the error says how to permit it', async () => {
    const other = `${DECRYPT} // another action`
    const { status, body } = await origin.run(account, other, { pkpId, ciphertext })
    expect(status).toBe(500)
    expect(body).toContain('decrypt: the wallet')
    expect(body).toContain('add_pkp_to_group')
    expect(body).not.toContain('the token')
  })

  it('cannot be decrypted by another account, even if that account permits everything', async () => {
    const thief = await origin.account()
    const own = await origin.wallet(thief)
    await origin.group(thief, {
      pkp_ids_permitted: [`0x${'0'.repeat(64)}`],
      cid_hashes_permitted: [0],
    })
    const registered = origin.services.mirror
      .current()
      .account(id(account))
      ?.wallets.get(`0x${'0'.repeat(24)}${pkpId.slice(2).toLowerCase()}`)
    await origin.services.writer.write('registerWalletDerivation', [
      id(thief),
      registered!.pkpId,
      registered!.derivationPath,
      '',
      '',
    ])
    for (const wallet of [pkpId, own.wallet_address]) {
      const { status, body } = await origin.run(thief, DECRYPT, { pkpId: wallet, ciphertext })
      expect([status, String(body).includes('the token')]).toEqual([500, false])
    }
  })

  it('can be decrypted after the account key was rotated, because it belongs to the account', async () => {
    const { body } = await origin.core('rotate_account_api_key', {
      method: 'POST',
      key: account,
      body: {},
    })
    const rotated = await origin.run(body.api_key, DECRYPT, { pkpId, ciphertext })
    expect(rotated.body.response).toBe('the token')
  })
})
