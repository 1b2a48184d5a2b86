/**
 * An account that another client of the same wallet has just created, such as another tab or the page before a reload.
 */
import { type HDNodeWallet, Wallet } from 'ethers'
import { afterAll, describe, expect, it } from 'vitest'
import { fetchFrom, wire } from '../../origin/client/client-of.ts'
import { makeChainSecured } from '../../origin/http/chain-secured.ts'
import { startAdmins } from './admins.ts'

const { origin, node, clientOf, close } = await startAdmins()
afterAll(close)

/** A client of an origin that rejects the wallet a number of times, with a clock that advances by its waits. */
function asking(wallet: HDNodeWallet, refusals: number) {
  const asks = { count: 0 }
  let waitedMs = 0
  const fetch: typeof globalThis.fetch = async (input, init) => {
    const isAboutMoney = new Request(input, init).url.endsWith('/billing/balance')
    if (isAboutMoney && asks.count++ < refusals)
      return Response.json({ error: 'unauthorized', message: 'no', fix: 'none' }, { status: 401 })
    return fetchFrom(origin, wire)(input, init)
  }
  const client = clientOf(wallet.connect(node), {
    fetch,
    now: () => origin.services.now() + waitedMs,
    sleep: async (ms) => void (waitedMs += ms),
  })
  return { client, asks, waited: () => waitedMs }
}

describe('a client of an admin wallet that has not written anything itself', () => {
  it('waits until the service has seen the account in the contract', async () => {
    const { client, asks } = asking(await makeChainSecured(origin, await origin.account()), 3)
    expect(await client.billing.balance()).toMatchObject({ balance_display: '$1000.00' })
    expect(asks.count).toBe(4)
  })

  it('gives up after ten seconds, and does not wait a second time', async () => {
    const admin = await makeChainSecured(origin, await origin.account())
    const { client, asks, waited } = asking(admin, Infinity)
    await expect(client.billing.balance()).rejects.toMatchObject({ status: 401 })
    expect(waited()).toBeGreaterThanOrEqual(10_000)
    const before = asks.count
    await expect(client.billing.balance()).rejects.toMatchObject({ status: 401 })
    expect(asks.count).toBe(before + 1)
  })

  it('is rejected at once if the contract has no account of the wallet', async () => {
    const { client, asks } = asking(Wallet.createRandom(), 0)
    await expect(client.billing.balance()).rejects.toMatchObject({ status: 401 })
    expect(asks.count).toBe(1)
  })
})
