/** Signed statements about the keys of wallets. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parsePolicy } from '../../../shared/policies/policy.ts'
import { readWalletStatement } from '../../../shared/receipts/wallet-statement.ts'
import { payloadOf, verifierOf } from '../../shared/receipts.ts'
import { makeChainSecured } from './chain-secured.ts'
import { startOrigin, type TestOrigin } from './origin.ts'
import { walletAuth } from './signed-request.ts'

const POLICY = {
  version: 1,
  rules: [{ name: 'any', effect: 'allow', kind: 'message', messages: 'any' }],
}

let origin: TestOrigin
let key: string
beforeAll(async () => {
  origin = await startOrigin()
  key = await origin.account()
})
afterAll(() => origin.close())

const ask = (pkpId: string, more: object = { key }) =>
  origin.call(`/core/v1/get_wallet_statement?pkp_id=${pkpId}`, more)

describe('get_wallet_statement', () => {
  it('states that the key of a policy wallet is derived for policies, signed with the receipt key', async () => {
    const { wallet_address, pkp_id } = await origin.policyWallet(key, POLICY)
    const { status, body } = await ask(wallet_address)
    expect([status, body]).toEqual([
      200,
      { wallet_address, pkp_id, derivation: 'policy', lock: null, statement: expect.any(String) },
    ])
    const { statement, ...stated } = body
    const receiptKey = await verifierOf(origin.services.keyring.receiptKey())
    const { chainId, contractAddress } = origin.services.chain
    expect(await readWalletStatement(statement, receiptKey)).toEqual({
      v: 1,
      account_hash: origin.hashOf(key),
      ...stated,
      compose_hash: expect.stringMatching(/^[0-9a-f]{64}$/),
      chain_id: Number(chainId),
      contract: contractAddress,
    })
  })

  it('names the immutable policy without which the key does not exist', async () => {
    const policy = { ...POLICY, immutable: true }
    const { pkp_id } = await origin.policyWallet(key, policy)
    const { hash } = parsePolicy(JSON.stringify(policy))
    expect((await ask(pkp_id)).body).toMatchObject({ derivation: 'policy', lock: hash })
  })

  it('states that actions can get the key of a plain wallet', async () => {
    const { pkp_id } = await origin.wallet(key)
    const { body } = await ask(pkp_id)
    expect(body).toMatchObject({ derivation: 'exportable', lock: null })
    expect(payloadOf(body.statement)).toMatchObject({ derivation: 'exportable' })
  })

  it('is refused for the wallet of another account', async () => {
    const { pkp_id } = await origin.policyWallet(await origin.account(), POLICY)
    const { status, body } = await ask(pkp_id)
    expect([status, body.error]).toEqual([404, 'not_found'])
    expect(body.message).toContain(`The account has no wallet ${pkp_id}`)
  })

  it('is available to the admin wallet of a ChainSecured account', async () => {
    const secured = await origin.account()
    const { pkp_id } = await origin.policyWallet(secured, POLICY)
    const admin = await makeChainSecured(origin, secured)
    const headers = await walletAuth(admin, origin)
    expect((await ask(pkp_id, { headers })).body).toMatchObject({ derivation: 'policy' })
  })
})
