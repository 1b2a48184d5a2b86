import { encodeFunctionData, erc20Abi, type Hex, parseUnits, recoverTypedDataAddress } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { describe, expect, it } from 'vitest'
import { runAction, testWallet } from '@svc-run/cli/test'
import policy from '../policy.json'
import { PAYEES } from '../src/payees'
import { safeTransaction } from '../src/safe'

const USDC = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913'
const STRANGER: Hex = '0x00000000000000000000000000000000DeaDBeef'
const owner = testWallet('owner', { policy })
/** Its address is the one in src/co-sign.ts. */
const proposer = privateKeyToAccount(testWallet('proposer').privateKey as Hex)
const attacker = privateKeyToAccount(testWallet('attacker').privateKey as Hex)

const transfer = (to = PAYEES[0]!, usdc = '1000') =>
  encodeFunctionData({
    abi: erc20Abi,
    functionName: 'transfer',
    args: [to, parseUnits(usdc, 6)],
  })

type Proposal = { to?: Hex; data?: Hex; nonce?: number; by?: typeof proposer; signedNonce?: number }

async function coSign(proposal: Proposal = {}) {
  const { to = USDC, data = transfer(), nonce = 7, by = proposer } = proposal
  const { signedNonce = nonce } = proposal
  const signature = await by.signTypedData(
    safeTransaction({ to, data, nonce: BigInt(signedNonce) }),
  )
  return runAction('src/co-sign.ts', {
    params: { wallet: owner.address, to, data, nonce, signature },
    wallets: { owner },
  })
}

it('signs a payment that an owner has signed', async () => {
  const run = await coSign()
  expect(run).toRespondWith({
    payee: PAYEES[0],
    usdc: '1000',
    proposer: proposer.address,
    signature: expect.any(String),
  })
  const { signature } = run.response as { signature: Hex }
  const typedData = safeTransaction({ to: USDC, data: transfer(), nonce: 7n })
  expect(await recoverTypedDataAddress({ ...typedData, signature })).toBe(owner.address)
})

describe('signs nothing', () => {
  it.each([
    ['for somebody else', { by: attacker }, 'may not propose'],
    ['with a signature for another nonce: a replayed proposal', { signedNonce: 6 }, 'may not'],
    ['for another recipient', { data: transfer(STRANGER) }, 'is not a payee'],
    ['above the limit', { data: transfer(PAYEES[0], '1000.000001') }, 'above 1000 USDC'],
    ['for another token', { to: STRANGER }, 'only calls of USDC'],
    [
      'that approves a spender',
      {
        data: encodeFunctionData({
          abi: erc20Abi,
          functionName: 'approve',
          args: [STRANGER, 1n],
        }),
      },
      'approve is not signed',
    ],
    ['with hidden data at the end', { data: `${transfer()}00` as Hex }, 'not the canonical'],
  ])('%s', async (_what, given, message) => {
    const run = await coSign(given)
    expect(run).toFailWith('action_threw', message)
    expect(run.signatures).toEqual([])
  })
})

describe('the policy, even with a bug in the action', () => {
  const code = `const main = ({ pkpId, domain, types, value }) =>
    Svc.Actions.signTypedData({ pkpId, domain, types, value })`
  const plain = (message: object) =>
    Object.fromEntries(Object.entries(message).map(([name, value]) => [name, `${value}`]))
  const sign = (changed: object, safe = {}) => {
    const { domain, types, message } = safeTransaction({ to: USDC, data: transfer(), nonce: 7n })
    return runAction(
      { code },
      {
        params: {
          pkpId: owner.address,
          domain: { ...domain, ...safe },
          types,
          value: { ...plain(message), ...changed },
        },
        wallets: { owner },
      },
    )
  }

  it('allows the payment', async () => {
    expect((await sign({})).error).toBeUndefined()
  })

  it.each([
    ['a delegate call', { operation: '1' }, {}],
    ['another recipient', { data: transfer(STRANGER) }, {}],
    ['4,295 USDC', { data: transfer(PAYEES[0], '4295') }, {}],
    ['another contract', { to: STRANGER }, {}],
    ['a refund of gas to the executor', { gasPrice: '1000000000', baseGas: '1000000000' }, {}],
    ['another Safe', {}, { verifyingContract: STRANGER }],
  ])('denies %s', async (_what, changed, safe) => {
    const run = await sign(changed, safe)
    expect(run).toFailWith('action_threw', 'Denied')
    expect(run.signatures).toEqual([])
  })
})
