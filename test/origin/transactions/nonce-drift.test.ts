/** The wallet's raw key is also used elsewhere. */
import { afterEach, expect, it } from 'vitest'
import { NO_FAULTS } from '../../doubles/faulty-rpc/rpc-faults.ts'
import { PAYEE } from './campaign/orders.ts'
import { signRaw } from './campaign/sending-wallets.ts'
import { type Sending, startSending } from './campaign/sending.ts'
import { CHAIN_ID } from './engine.ts'

const DRIFT = 600

/** Reads of the wallet's transaction count after the foreign transactions are final. There are several per second. */
const CHECKS_MAX = 40
const CHECK = ['eth_getTransactionCount', 1] as const

let sending: Sending | undefined
afterEach(async () => {
  await sending?.close()
  sending = undefined
})

it('recovers from 600 transactions that were signed elsewhere, without sending anything twice', async ({
  task,
}) => {
  sending = await startSending()
  const { chain, mineUntil, history } = sending
  const process = await sending.open()
  await process.send()
  await mineUntil(async () => (await history()).rows[0]!.state === 'mined', 20)

  // Their broadcasts are lost, so the foreign transactions take their nonces.
  chain.faults = { ...NO_FAULTS, dropBroadcast: 1 }
  const lost = [await process.send(), await process.send(), await process.send()]
  await expect
    .poll(async () => (await history()).attempts.length, { timeout: 60_000 })
    .toBeGreaterThanOrEqual(4)
  for (let nonce = 1; nonce <= DRIFT; nonce++) await chain.sendForeign(foreign(sending, nonce))
  while ((await chain.nonceOf(sending.wallets[0]!.address)) <= DRIFT) await chain.mine()
  chain.faults = NO_FAULTS
  const later = [await process.send(), await process.send()]

  task.meta.figures = await recovered(sending)
  await mineUntil(async () => (await history()).rows.every((row) => row.endedAt !== null), 20)
  expect(await sending.contradictions()).toEqual([])
  const { rows } = await history()
  const nonces = rows.map(({ nonce }) => nonce!).toSorted((a, b) => a - b)
  const next = DRIFT + 1
  expect(nonces).toEqual([0, next, next + 1, next + 2, next + 3, next + 4])
  expect(rows.map(({ id }) => id).slice(1)).toEqual([...lost, ...later].map(({ id }) => id))
})

it('recovers from a nonce that the node raised by 600', async ({ task }) => {
  sending = await startSending()
  const { chain, history } = sending
  const [wallet] = sending.wallets
  const process = await sending.open()
  chain.faults = { ...NO_FAULTS, dropBroadcast: 1 }
  await process.send()
  await expect.poll(async () => (await history()).attempts.length, { timeout: 60_000 }).toBe(1)
  await chain.provider.send('anvil_setNonce', [wallet!.address, `0x${DRIFT.toString(16)}`])
  await chain.mine()
  chain.faults = NO_FAULTS
  await process.send()
  task.meta.figures = await recovered(sending)
  const { rows } = await history()
  expect(rows.map(({ nonce }) => nonce!).toSorted((a, b) => a - b)).toEqual([DRIFT, DRIFT + 1])
})

/** Resolves when everything is mined. */
async function recovered({ chain, finality, mineUntil, history }: Sending) {
  const began = performance.now()
  await chain.mine(finality + 1)
  const isMined = async () => (await history()).rows.every(({ minedHash }) => minedHash !== null)
  const checks = await mineUntil(isMined, CHECKS_MAX, ...CHECK)
  return { checks, 'max ms': Math.round(performance.now() - began) }
}

function foreign({ wallets }: Sending, nonce: number): string {
  const { raw } = signRaw(wallets[0]!.key, {
    chainId: CHAIN_ID,
    nonce,
    to: PAYEE,
    data: '0x',
    value: 3n,
    gasLimit: 21_000n,
    maxFeePerGas: 10_000_000_000n,
    maxPriorityFeePerGas: 1_000_000_000n,
  })
  return raw
}
