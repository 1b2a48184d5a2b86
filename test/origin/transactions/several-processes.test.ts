/** Processes that send from the same wallet at the same time. */
import { afterEach, expect, it } from 'vitest'
import { type Sending, startSending } from './campaign/sending.ts'

/** Maximum number of signed transactions of a wallet that are not mined. */
const IN_FLIGHT_MAX = 64

let sending: Sending | undefined
afterEach(async () => {
  await sending?.close()
  sending = undefined
})

it('give each transaction a nonce of its own, and leave no gap when one of them closes', async () => {
  sending = await startSending()
  const { mineUntil, history, chain, wallets } = sending
  const [first, second] = [await sending.open(), await sending.open()]
  const both = [first, second]
  await Promise.all(Array.from({ length: 40 }, (_, n) => both[n % 2]!.send()))
  const isMined = async (count: number) => {
    const { rows } = await history()
    return rows.length === count && rows.every((row) => row.minedHash !== null)
  }
  await mineUntil(async () => (await chain.nonceOf(wallets[0]!.address)) > 0, 100)
  await first.close()
  await second.send()
  await mineUntil(() => isMined(41), 200)
  await mineUntil(async () => (await history()).rows.every((row) => row.endedAt !== null), 40)
  expect(await sending.contradictions()).toEqual([])
  expect(await chain.nonceOf(wallets[0]!.address)).toBe(41)
})

it('keep up to 64 transactions of 16 senders in flight, without a gap', async () => {
  sending = await startSending()
  const { mineUntil, history, chain, wallets } = sending
  const [first, second] = [await sending.open(), await sending.open()]
  const count = 160
  const sender = async (index: number) => {
    for (let n = 0; n < count / 16; n++) await (index % 2 ? first : second).send()
  }
  await Promise.all(Array.from({ length: 16 }, (_, index) => sender(index)))
  const inPool = async () => Number((await chain.provider.send('txpool_status', [])).pending)
  await expect.poll(inPool, { timeout: 60_000 }).toBe(IN_FLIGHT_MAX)
  // No block is mined, so nothing more may be signed.
  await chain.settled()
  const signed = (await history()).rows.filter(({ nonce }) => nonce !== null)
  expect(signed.length).toBe(IN_FLIGHT_MAX)
  await mineUntil(
    async () => (await history()).rows.every((row) => row.minedHash !== null),
    4 * (count / IN_FLIGHT_MAX) + 20,
  )
  await mineUntil(async () => (await history()).rows.every((row) => row.endedAt !== null), 40)
  expect(await sending.contradictions()).toEqual([])
  expect(await chain.nonceOf(wallets[0]!.address)).toBe(count)
})
