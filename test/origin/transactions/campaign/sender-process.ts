/**
 * A process that sends transactions as an origin does, without the rest of an origin. Carries out orders from its parent.
 * The argument is a `SenderProcessInput` as JSON.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { openDatabase } from '../../../../origin/db/open.ts'
import { type Order, originOf, type Reply, requestOf } from './orders.ts'
import { keepLease } from './process-lease.ts'
import {
  ACCOUNT_HASH,
  ACTION_CID,
  onlyChain,
  ownerOf,
  signerOf,
  type SendingWallet,
} from './sending-wallets.ts'
import { startTransactions } from './start-transactions.ts'

export type SenderProcessInput = {
  databaseUrl: string
  rpcUrls: readonly string[]
  processId: string
  /** Process that has certainly ended, and whose lanes this process takes over at once. */
  predecessor?: string
  wallets: readonly SendingWallet[]
  finality: number
  pollMs: number
  /** Lease of the process. */
  leaseMs: number
}

const input = JSON.parse(process.argv[2]!) as SenderProcessInput
const { wallets, processId, leaseMs } = input
process.once('disconnect', () => process.exit(0))

const { db } = await untilUp(() => openDatabase({ url: input.databaseUrl }))
await untilUp(() => keepLease(db, processId, leaseMs))

const transactions = startTransactions({
  db,
  databaseUrl: input.databaseUrl,
  processId,
  predecessor: input.predecessor,
  chains: onlyChain(input.rpcUrls, input),
  signer: signerOf(wallets),
  log: (event, facts) => process.send?.({ log: `${event} ${JSON.stringify(facts ?? {})}` }),
})

process.on('message', ({ number, order }: { number: number; order: Order }) => {
  void answer(order).then((reply) => process.send?.({ number, reply }))
})
process.send?.({ ready: true })

/** Retries while the database is down. */
async function untilUp<Result>(act: () => Promise<Result>): Promise<Result> {
  for (;;)
    try {
      return await act()
    } catch {
      await sleep(50)
    }
}

async function answer(order: Order): Promise<Reply> {
  try {
    return { record: await carriedOut(order) }
  } catch (error) {
    const { name, message } = error as Error
    return { name, error: message }
  }
}

function carriedOut(order: Order) {
  switch (order.kind) {
    case 'send': {
      const { identity, isAltered } = order
      return transactions.send(requestOf(identity, wallets, isAltered), {
        principal: ownerOf(wallets),
        actionCid: ACTION_CID,
        ...originOf(identity),
      })
    }
    case 'cancel':
      return transactions.cancel(ACCOUNT_HASH, order.id)
    case 'speedUp':
      return transactions.speedUp(ACCOUNT_HASH, order.id)
  }
}
