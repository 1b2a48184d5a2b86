import { Wallet } from 'ethers'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { NO_FAULTS, type RpcFaults } from '../../../doubles/faulty-rpc/rpc-faults.ts'
import { fundedKey } from '../../chain.ts'
import { Random } from '../../credits/simulation/random.ts'
import { DisturbedChain } from './disturbed-chain.ts'

describe('the faulty RPC endpoint', () => {
  let chain: DisturbedChain
  beforeAll(async () => {
    chain = await DisturbedChain.start(1, new Random(1))
    await chain.mine(30)
  })
  afterAll(() => chain.close())

  const post = async (method: string, params: unknown[]) => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
    const headers = { 'content-type': 'application/json' }
    return fetch(chain.urls[0]!, { method: 'POST', headers, body })
  }
  const ask = async (method: string, ...params: unknown[]) =>
    (await (await post(method, params)).json()) as { result?: any; error?: { message: string } }
  const signed = async (account: number) => {
    const wallet = new Wallet(fundedKey(account), chain.provider)
    return wallet.signTransaction(
      await wallet.populateTransaction({ to: wallet.address, gasLimit: 21_000 }),
    )
  }
  const withFaults = async (faults: Partial<RpcFaults>, act: () => Promise<void>) => {
    chain.faults = { ...NO_FAULTS, ...faults }
    try {
      await act()
    } finally {
      chain.faults = NO_FAULTS
    }
  }
  const isPending = async (raw: string) => {
    const { error } = await ask('eth_sendRawTransaction', raw)
    return error?.message === 'transaction already imported'
  }

  it('drops the response to a broadcast that has reached the node', async () => {
    const raw = await signed(1)
    await withFaults({ dropBroadcastResponse: 1 }, async () => {
      await expect(ask('eth_sendRawTransaction', raw)).rejects.toThrow('fetch failed')
      expect((await ask('eth_chainId')).result).toBe('0x7a69')
    })
    expect(await isPending(raw)).toBe(true)
  })

  it('drops a broadcast that does not reach the node', async () => {
    const raw = await signed(2)
    await withFaults({ dropBroadcast: 1 }, async () => {
      await expect(ask('eth_sendRawTransaction', raw)).rejects.toThrow('fetch failed')
    })
    expect(await isPending(raw)).toBe(false)
  })

  it.each([
    [{ falseNonceTooLow: 1 }, 'nonce too low'],
    [{ falseAlreadyKnown: 1 }, 'already known'],
    [{ falseUnderpriced: 1 }, 'replacement transaction underpriced'],
  ])('answers a broadcast falsely (%o)', async (faults, message) => {
    const raw = await signed(3)
    await withFaults(faults, async () => {
      expect((await ask('eth_sendRawTransaction', raw)).error?.message).toBe(message)
    })
  })

  it('lags behind the head, in everything that it says', async () => {
    const raw = await signed(4)
    const { result: hash } = await ask('eth_sendRawTransaction', raw)
    await chain.mine()
    const head = await chain.height()
    const { address } = new Wallet(fundedKey(4))
    await withFaults({ lag: 1 }, async () => {
      expect(Number((await ask('eth_blockNumber')).result)).toBeLessThan(head)
      expect((await ask('eth_getTransactionReceipt', hash)).result).toBeNull()
      expect((await ask('eth_getTransactionCount', address, 'latest')).result).toBe('0x0')
      expect((await ask('eth_getTransactionByHash', hash)).result.blockNumber).toBeNull()
      const latest = (await ask('eth_getBlockByNumber', 'latest', false)).result
      expect(Number(latest.number)).toBeLessThan(head)
    })
    expect((await ask('eth_getTransactionReceipt', hash)).result.status).toBe('0x1')
  })

  it('fails like an overloaded provider', async () => {
    await withFaults({ rateLimit: 1 }, async () => {
      expect((await post('eth_chainId', [])).status).toBe(429)
    })
    await withFaults({ serverError: 1 }, async () => {
      expect((await post('eth_chainId', [])).status).toBe(500)
    })
    await withFaults({ truncate: 1 }, async () => {
      await expect(ask('eth_chainId')).rejects.toThrow(SyntaxError)
    })
  })

  it('keeps a part of the transactions through a reorganization', async () => {
    const raw = await signed(5)
    await ask('eth_sendRawTransaction', raw)
    await chain.mine(3)
    const height = await chain.height()
    const before = (await chain.provider.getBlock(height - 2))!.hash
    await chain.reorganize(5)
    expect(await chain.height()).toBe(height)
    expect((await chain.provider.getBlock(height - 2))!.hash).not.toBe(before)
  })
})
