import { runAction, testWallet } from '@svc-run/cli/test'
import {
  id,
  JsonRpcProvider,
  parseEther,
  recoverAddress,
  Transaction,
  verifyMessage,
  verifyTypedData,
} from 'ethers'
import { describe, expect, it } from 'vitest'
import { startChain } from '../chain.ts'

const treasury = testWallet('treasury')
const TO = '0x000000000000000000000000000000000000dEaD'

/** Runs `main` with the params `p`, which contain the wallet's address. */
const run = (body: string, wallet = treasury, options = {}) =>
  runAction(
    { code: `async function main(p) { ${body} }` },
    { params: { wallet: wallet.address, to: TO }, wallets: { treasury: wallet }, ...options },
  )

describe('a test wallet', () => {
  it('has a key that depends only on its name', () => {
    expect(testWallet('treasury')).toEqual(treasury)
    expect(testWallet('other').address).not.toBe(treasury.address)
  })

  it('signs messages, typed data, transactions and digests, which the run lists', async () => {
    const types = { Mail: [{ name: 'to', type: 'address' }] }
    const signed = await run(`const pkpId = p.wallet, types = ${JSON.stringify(types)}
      return [
        await Svc.Actions.signMessage({ pkpId, message: 'hello' }),
        await Svc.Actions.signTypedData({ pkpId, domain: { chainId: 1 }, types, value: { to: p.to } }),
        await Svc.Actions.signTransaction({ pkpId, transaction: { type: 2, chainId: 1, to: p.to, gasLimit: 21000 } }),
        await Svc.Actions.signDigest({ pkpId, digest: ethers.utils.id('a') }),
        await Svc.Actions.signMessage({ pkpId, message: [255] }),
      ]`)
    const [message, typedData, raw, digest] = signed.response as string[]
    const { address } = treasury
    expect(verifyMessage('hello', message!)).toBe(address)
    expect(verifyTypedData({ chainId: 1 }, types, { to: TO }, typedData!)).toBe(address)
    expect(Transaction.from(raw).from).toBe(address)
    expect(recoverAddress(id('a'), digest!)).toBe(address)
    expect(signed).toHaveSigned({ wallet: 'treasury', kind: 'message', message: 'hello' })
    expect(signed).toHaveSigned({ kind: 'typed_data', value: { to: TO }, domain: { chainId: 1 } })
    expect(signed).toHaveSigned({
      transaction: expect.objectContaining({ to: TO }),
      signature: raw,
    })
    expect(signed).toHaveSigned({ kind: 'message', message: '0xff' })
    expect(signed).not.toHaveSigned({ message: 'bye' })
  })

  it('encrypts for a later run', async () => {
    const { response } = await run('return Svc.Actions.encrypt({ pkpId: p.wallet, message: "a" })')
    const ciphertext = JSON.stringify(response)
    const code = `return Svc.Actions.decrypt({ pkpId: p.wallet, ciphertext: ${ciphertext} })`
    expect(await run(code)).toRespondWith('a')
    expect(await run(code, testWallet('other'))).toFailWith('action_threw', /another wallet/)
  })

  it('is refused, like in production, if the action may not use it', async () => {
    const code = 'return Svc.Actions.signMessage({ pkpId: p.wallet, message: "" })'
    const refused = await run(code, treasury, { wallets: {} })
    const message = `signMessage: the account has no wallet ${treasury.address}`
    expect(refused).toFailWith('action_threw', message)
  })

  it('can be used ten times in a run, like in production', async () => {
    const code = 'for (;;) await Svc.Actions.getPrivateKey({ pkpId: p.wallet })'
    expect(await run(code)).toFailWith('key_operation_limit')
  })
})

it('an action has its own key, which follows from its source', async () => {
  const code = `const key = await Svc.Actions.getSvcActionPrivateKey()
    return [new ethers.Wallet(key).address, await Svc.Actions.getSvcActionWalletAddress({ ipfsId: p.cid })]`
  const first = await run(code)
  expect(first).toFailWith('action_threw', 'getSvcActionWalletAddress')
  const { response } = await run(code, treasury, { params: { cid: first.cid } })
  const [own, looked] = response as [string, string]
  expect(own).toBe(looked)
})

it('an action gets a trace context, which is the same within a run', async () => {
  const code = `const first = await Svc.Actions.getTraceparent()
    return [first, await Svc.Actions.getTraceparent()]`
  const { response } = await run(code)
  const [first, second] = response as [string, string]
  expect(first).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-00$/)
  expect(second).toBe(first)
})

describe('a wallet with a policy', () => {
  const guarded = testWallet('treasury', {
    policy: {
      version: 1,
      sums: [{ name: 'an hour', of: 'native_value', window_s: 3600, max: '150' }],
      rules: [
        {
          name: 'payouts',
          effect: 'allow',
          kind: 'transaction',
          chains: [8453],
          to: [TO],
          calls: 'none',
          value_max: '100',
          sums: ['an hour'],
        },
      ],
    },
  })
  const pay = (value: string, nonce: number) =>
    `await Svc.Actions.signTransaction({ pkpId: p.wallet, transaction: { type: 2, chainId: 8453, to: p.to,
      nonce: ${nonce}, value: '${value}', gasLimit: 21000, maxFeePerGas: 1, maxPriorityFeePerGas: 1 } })`

  it('signs only what the policy allows', async () => {
    expect(await run(`${pay('100', 0)}; return 1`, guarded)).toRespondWith(1)
    expect(await run(pay('101', 0), guarded)).toFailWith('action_threw', 'Denied')
    const read = 'return Svc.Actions.getPrivateKey({ pkpId: p.wallet })'
    expect(await run(read, guarded)).toFailWith('action_threw', 'has a policy')
    expect(guarded.address).not.toBe(treasury.address)
  })

  it('has sums, which run out and recover on the fake clock', async () => {
    const twice = `${pay('100', 0)}; ${pay('100', 1)}`
    expect(await run(twice, guarded)).toFailWith('action_threw', 'remain of the sum an hour')
    const later = `${pay('100', 0)}
      await new Promise((resolve) => setTimeout(resolve, 3800000)); ${pay('100', 1)}; return 1`
    const options = { limits: { wallMs: 4_000_000 } }
    expect(await run(later, guarded, options)).toRespondWith(1)
  })

  it('fails to send what the policy denies', async () => {
    const code = `const { id } = await Svc.Actions.sendTransaction({ pkpId: p.wallet, chain: 'base', to: p.to, value: 101 })
      return (await Svc.Actions.transaction({ id, waitFor: 'mined' })).failure.code`
    expect(await run(code, guarded)).toRespondWith('policy_denied')
  })

  it('rejects a document that is not a policy', () => {
    expect(() => testWallet('guarded', { policy: { rules: [] } })).toThrow('version')
  })
})

describe('transactions', () => {
  const send = (value: string) =>
    `const { id } = await Svc.Actions.sendTransaction({ pkpId: p.wallet, chain: 'base', to: p.to, value: '${value}' })`

  it('are recorded, and mined when the action waits for it', async () => {
    const sent = await run(`${send('5')}
      const { state } = await Svc.Actions.transaction({ id, waitFor: 'mined' })
      return [id, state]`)
    expect(sent).toRespondWith([expect.stringMatching(/^tx_[0-9a-f]{32}$/), 'mined'])
    expect(sent).toHaveSent({ wallet: 'treasury', chain: 'base', to: TO.toLowerCase(), value: 5n })
    expect(sent).not.toHaveSent({ value: 6n })
    expect(sent.transactions[0]?.attempts).toHaveLength(1)
  })

  it('block signatures of transactions while they are open, like in production', async () => {
    const code = `${send('5')}; const transaction = { type: 2, chainId: 8453, gasLimit: 21000, to: p.to }
      return Svc.Actions.signTransaction({ pkpId: p.wallet, transaction })`
    expect(await run(code)).toFailWith('action_threw', 'has open transactions on the chain 8453')
  })

  it('name the chains if one is unknown', async () => {
    const sent = await run(send('5').replace('base', 'moon'))
    expect(sent).toFailWith('action_threw', 'unknown chain "moon"; known chains: ethereum (1)')
  })

  it('are mined by a node', async () => {
    const chain = await startChain([])
    const provider = new JsonRpcProvider(chain.rpcUrl, 31337, { staticNetwork: true })
    try {
      await provider.send('anvil_setBalance', [treasury.address, '0xde0b6b3a7640000'])
      const before = await provider.getBalance(TO)
      const sent = await run(
        `${send('7')}; return (await Svc.Actions.transaction({ id, waitFor: 'final' })).state`,
        treasury,
        { chains: { base: { chainId: 31337, rpcUrl: chain.rpcUrl } } },
      )
      expect(sent).toRespondWith('final')
      expect((await provider.getBalance(TO)) - before).toBe(7n)
      const poor = await run(send(String(parseEther('5'))), treasury, {
        chains: { base: { chainId: 31337, rpcUrl: chain.rpcUrl } },
      })
      expect(poor.transactions[0]).toMatchObject({ state: 'failed' })
    } finally {
      provider.destroy()
      await chain.close()
    }
  })
})
