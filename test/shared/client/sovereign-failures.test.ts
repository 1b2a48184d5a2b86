/** ChainSecured mode of the client at a real origin and chain: rejections, other chains, and pending transactions. */
import { inspect } from 'node:util'
import { Wallet } from 'ethers'
import { afterAll, describe, expect, it } from 'vitest'
import { accountHashOfWallet } from '../../../shared/crypto/typed-data.ts'
import { fetchFrom, wire } from '../../origin/client/client-of.ts'
import { failureOf, sleep, startAdmins } from './admins.ts'

const { origin, node, clientOf, funded, injected, SIGNERS, converted, close } = await startAdmins()
afterAll(close)

describe('a wallet owner who refuses', () => {
  it.each([
    ['to sign', (client: ReturnType<typeof clientOf>) => client.billing.balance()],
    ['to send', (client: ReturnType<typeof clientOf>) => client.addGroup({ group_name: 'g' })],
  ])('%s ends the call, with nothing sent', async (_what, call) => {
    const { admin } = await converted(SIGNERS['a signer of ethers'])
    const browser = await injected(admin)
    browser.answer('no')
    const client = clientOf(browser)
    expect(await failureOf(call(client))).toMatchObject({
      name: 'WalletRefused',
      code: 'wallet_refused',
    })
    expect(client.steps.some(({ step }) => step === 'sent')).toBe(false)
    browser.answer('yes')
    await call(client)
  })

  it('is also recognized in the error of ethers', async () => {
    const { admin } = await converted(SIGNERS['a signer of ethers'])
    const rejected = Object.assign(new Error('user rejected action'), { code: 'ACTION_REJECTED' })
    const signer = {
      provider: node,
      getAddress: async () => admin.address,
      signTypedData: () => Promise.reject(rejected),
      sendTransaction: () => Promise.reject(rejected),
    }
    for (const call of [
      clientOf(signer).billing.balance(),
      clientOf(signer).addGroup({ group_name: 'g' }),
    ])
      expect(await failureOf(call)).toMatchObject({ name: 'WalletRefused' })
  })
})

describe('a wallet on another chain', () => {
  const elsewhere = async (knows: boolean) => {
    const { admin } = await converted(SIGNERS['a signer of ethers'])
    const browser = await injected(admin)
    browser.beOnChain(1n, knows)
    return { browser, client: clientOf(browser) }
  }

  it('is asked once to switch to the chain of the accounts', async () => {
    const { browser, client } = await elsewhere(true)
    await client.addGroup({ group_name: 'g' })
    expect(browser.asked.filter((method) => method === 'wallet_switchEthereumChain')).toHaveLength(
      1,
    )
  })

  it('is rejected with both chain IDs if it does not know the chain', async () => {
    const { browser, client } = await elsewhere(false)
    const { chainId } = await node.getNetwork()
    const refused = await failureOf(client.addGroup({ group_name: 'g' }))
    expect(refused).toMatchObject({ name: 'WrongChain', walletChainId: 1n, nodeChainId: chainId })
    expect(browser.asked).not.toContain('eth_sendTransaction')
  })
})

describe('attack: a service that names another contract', () => {
  const lying =
    (contract_address: string): typeof fetch =>
    async (input, init) => {
      const answer = await fetchFrom(origin, wire)(input, init)
      if (!new Request(input, init).url.endsWith('/get_node_chain_config')) return answer
      return Response.json({ ...((await answer.json()) as object), contract_address })
    }

  it('is rejected by a client with a pinned contract', async () => {
    const { contractAddress } = origin.services.chain
    const other = Wallet.createRandom().address
    const signer = (await funded()).connect(node)
    const client = clientOf(signer, { fetch: lying(other), contractAddress })
    const refused = await failureOf(client.newAccount({ account_name: 'a' }))
    expect(refused).toMatchObject({ name: 'WrongContract', contractAddress: other })
  })

  it('costs no gas if there is no contract', async () => {
    const wallet = await funded()
    const client = clientOf(wallet, { fetch: lying(Wallet.createRandom().address) })
    const refused = await failureOf(client.newAccount({ account_name: 'a' }))
    expect(refused).toMatchObject({ name: 'WrongContract' })
    expect(await node.getTransactionCount(wallet.address)).toBe(0)
  })
})

describe('a write that the contract rejects', () => {
  it('is not sent, and the error explains what to do', async () => {
    const { client, admin } = await converted(SIGNERS['an EIP-1193 provider'])
    const refused = await failureOf(client.removeGroup({ group_id: 7 }))
    expect(refused).toMatchObject({
      name: 'TransactionReverted',
      errorName: 'GroupDoesNotExist',
      code: 'group_does_not_exist',
      args: [BigInt(await client.accountHash()).toString(), '7'],
      transaction: undefined,
      fix: expect.stringContaining('listGroups'),
    })
    expect(await node.getTransactionCount(admin.address)).toBe(0)
  })

  it('has the same error as a read', async () => {
    const client = clientOf(Wallet.createRandom().connect(node))
    for (const read of [client.listGroups().all(), client.accountHash()])
      expect(await failureOf(read)).toMatchObject({ errorName: 'AccountDoesNotExist' })
  })

  it('names the transaction if the account changed before the block', async () => {
    const { client, admin } = await converted(SIGNERS['a signer of ethers'])
    const { group_id } = await client.addGroup({ group_name: 'g' })
    await node.send('evm_setAutomine', [false])
    await node.send('evm_setIntervalMining', [0])
    try {
      // Two clients, each of which simulates before the other's transaction is mined.
      const both = []
      for (const count of [1, 2]) {
        both.push(failureOf(clientOf(admin.connect(node)).removeGroup({ group_id })))
        await untilPending(admin.address, count)
      }
      await node.send('evm_mine', [])
      const [failed] = (await Promise.allSettled(both)).flatMap((end) =>
        end.status === 'fulfilled' ? [end.value] : [],
      )
      expect(failed).toMatchObject({
        errorName: 'GroupDoesNotExist',
        transaction: expect.stringMatching(/^0x[0-9a-f]{64}$/),
      })
    } finally {
      await mineAgain()
    }
  })
})

async function mineAgain() {
  await node.send('evm_setIntervalMining', [1])
  await node.send('evm_setAutomine', [true])
}

/** Waits until an address has this many pending transactions. */
async function untilPending(address: string, count: number) {
  for (;;) {
    const [all, mined] = await Promise.all(
      ['pending', 'latest'].map((tag) => node.getTransactionCount(address, tag)),
    )
    if (all! - mined! >= count) return
    await sleep(20)
  }
}

it('returns the creating wallet of a new account, although its owner selected another one in the meantime', async () => {
  const [first, second] = await Promise.all([funded(), funded()])
  const wallets = await Promise.all([first, second].map(SIGNERS['an EIP-1193 provider']))
  let selected = 0
  const changing = {
    request: async (question: { method: string }) => {
      const answer = await wallets[selected]!.request(question)
      if (question.method === 'eth_sendTransaction') selected = 1
      return answer
    },
  }
  expect(await clientOf(changing).newAccount({ account_name: 'mine' })).toEqual({
    wallet_address: first.address,
    account_hash: accountHashOfWallet(first.address),
  })
})

describe('a pending transaction', () => {
  /** Runs while no blocks are mined. */
  const withoutBlocks = async (act: () => Promise<void>) => {
    await node.send('evm_setAutomine', [false])
    await node.send('evm_setIntervalMining', [0])
    try {
      await act()
    } finally {
      await mineAgain()
    }
  }
  const sentBy = async (client: ReturnType<typeof clientOf>): Promise<string> => {
    for (;;) {
      const sent = client.steps.find(({ step }) => step === 'sent')
      if (sent?.step === 'sent') return sent.transaction
      await sleep(20)
    }
  }
  const feesOf = async (hash: string) => {
    const { nonce, gasLimit, maxFeePerGas, data, to } = (await node.getTransaction(hash))!
    return {
      nonce,
      gasLimit,
      data,
      to,
      maxFeePerGas: maxFeePerGas! * 2n,
      maxPriorityFeePerGas: maxFeePerGas! * 2n,
    }
  }

  it('is named if the wait is aborted', async () => {
    const { client } = await converted(SIGNERS['a signer of ethers'])
    await withoutBlocks(async () => {
      const ending = new AbortController()
      const failed = failureOf(client.addGroup({ group_name: 'g' }, { signal: ending.signal }))
      const transaction = await sentBy(client)
      ending.abort(new Error('enough'))
      expect(await failed).toMatchObject({
        name: 'TransactionPending',
        transaction,
        cause: new Error('enough'),
      })
    })
  })

  it('of a usage key names its hash if the wait is aborted, and does not show the key', async () => {
    const { client } = await converted(SIGNERS['a signer of ethers'])
    await withoutBlocks(async () => {
      const ending = new AbortController()
      const failed = failureOf(client.addUsageApiKey({ name: 'k' }, { signal: ending.signal }))
      await sentBy(client)
      ending.abort()
      const failure = await failed
      expect(failure.usageApiKeyHash).toMatch(/^0x[0-9a-f]{64}$/)
      expect(failure.fix).toContain(failure.usageApiKeyHash)
      expect(inspect(failure, { depth: 9 })).not.toMatch(/[A-Za-z0-9+/]{43}=/)
    })
  })

  it('throws TransactionReplaced if it was cancelled in the wallet', async () => {
    const { client, admin } = await converted(SIGNERS['a signer of ethers'])
    await withoutBlocks(async () => {
      const failed = failureOf(client.addGroup({ group_name: 'g' }))
      const transaction = await sentBy(client)
      const { data: _data, to: _to, gasLimit: _gas, ...fees } = await feesOf(transaction)
      await sleep(500)
      const cancel = { ...fees, to: admin.address, value: 0n, gasLimit: 21_000n }
      const { hash } = await admin.connect(node).sendTransaction(cancel)
      await node.send('evm_mine', [])
      expect(await failed).toMatchObject({
        name: 'TransactionReplaced',
        transaction,
        replacedBy: hash,
      })
    })
  })

  it('is followed under its new hash if its fee was raised in the wallet', async () => {
    const { client, admin } = await converted(SIGNERS['a signer of ethers'])
    await withoutBlocks(async () => {
      const made = client.addGroup({ group_name: 'g' })
      const fees = await feesOf(await sentBy(client))
      await sleep(500)
      const { hash } = await admin.connect(node).sendTransaction(fees)
      await node.send('evm_mine', [])
      expect(await made).toEqual({ success: true, group_id: 1 })
      expect(client.steps.at(-1)).toMatchObject({ step: 'mined', transaction: hash })
    })
  })

  it('throws TransactionDropped if the node forgets it', async () => {
    const { admin } = await converted(SIGNERS['a signer of ethers'])
    let aheadMs = 0
    const client = clientOf(admin.connect(node), { now: () => Date.now() + aheadMs })
    await withoutBlocks(async () => {
      const failed = failureOf(client.addUsageApiKey({ name: 'k' }))
      const transaction = await sentBy(client)
      await node.send('anvil_dropTransaction', [transaction])
      aheadMs = 120_000
      const failure = await failed
      expect(failure).toMatchObject({ name: 'TransactionDropped', transaction })
      expect(failure.fix).toContain(failure.usageApiKeyHash ?? 'the hash of the key')
    })
  })
})
