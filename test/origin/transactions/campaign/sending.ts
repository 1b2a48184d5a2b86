/** Processes that send transactions from the same wallets, on their own chain and database. */
import { openDatabase } from '../../../../origin/db/open.ts'
import type { TransactionRecord } from '../../../../shared/wire/transactions.ts'
import { Random } from '../../credits/simulation/random.ts'
import { freshDatabase } from '../../db/fresh-database.ts'
import { contradictions, historyOf } from './check-history.ts'
import { DisturbedChain } from './disturbed-chain.ts'
import { type Identity, originOf, PAYEE, requestOf } from './orders.ts'
import { keepLease } from './process-lease.ts'
import { ACTION_CID, onlyChain, ownerOf, signerOf, sendingWallets } from './sending-wallets.ts'
import { startTransactions } from './start-transactions.ts'

export type Sending = Awaited<ReturnType<typeof startSending>>

type Options = { wallets?: number; finality?: number; pollMs?: number }

let started = 0

export async function startSending({
  wallets: count = 1,
  finality = 4,
  pollMs = 50,
}: Options = {}) {
  const seed = ++started
  const wallets = sendingWallets(count, seed)
  const [chain, server] = await Promise.all([
    DisturbedChain.start(1, new Random(seed)),
    freshDatabase(),
  ])
  const database = await openDatabase({ url: server.url })
  await chain.fund(wallets.map(({ address }) => address))
  const closers: (() => Promise<void>)[] = []
  let identities = 0
  let processes = 0

  /** Starts a process of the service. */
  const open = async (predecessor?: string) => {
    const processId = `process ${++processes}`
    const own = await openDatabase({ url: server.url })
    const endLease = await keepLease(own.db, processId, 5_000)
    const transactions = startTransactions({
      db: own.db,
      databaseUrl: server.url,
      processId,
      predecessor,
      chains: onlyChain(chain.urls, { finality, pollMs }),
      signer: signerOf(wallets),
      log: () => {},
    })
    const close = async () => {
      await transactions.close()
      endLease()
      await own.close()
    }
    closers.push(close)
    return {
      processId,
      transactions,
      /** Sends a new transaction of a wallet. */
      send: (wallet = 0): Promise<TransactionRecord> => {
        const identity: Identity = {
          number: identities++,
          wallet,
          to: PAYEE,
          speed: 'normal',
          isKeyed: true,
        }
        return transactions.send(requestOf(identity, wallets), {
          principal: ownerOf(wallets),
          actionCid: ACTION_CID,
          ...originOf(identity),
        })
      },
      close: async () => {
        closers.splice(closers.indexOf(close), 1)
        await close()
      },
    }
  }

  return {
    wallets,
    chain,
    finality,
    open,
    find: async (id: string) => {
      const { rows } = await historyOf(database.db)
      return rows.find((row) => row.id === id)!
    },
    history: () => historyOf(database.db),
    /**
     * Mines until it is true, each block after the processes have sent several requests with a method, so that a slow
     * machine does not need more blocks.
     * @returns the number of blocks
     */
    mineUntil: async (
      isTrue: () => Promise<boolean>,
      blocksMax: number,
      ...requests: Parameters<DisturbedChain['settled']>
    ): Promise<number> => {
      for (let blocks = 0; blocks <= blocksMax; blocks++) {
        if (await isTrue()) return blocks
        await chain.mine()
        await chain.settled(...requests)
      }
      throw new Error(`not true after ${blocksMax} blocks`)
    },
    /** Faults of the history, if all transactions have ended. */
    contradictions: async () => {
      const mined = await chain.minedBy(wallets.map(({ address }) => address))
      return contradictions(await historyOf(database.db), mined, (hash) => chain.isForeign(hash))
    },
    close: async () => {
      await Promise.all(closers.map((close) => close()))
      await database.close()
      await Promise.all([server.drop(), chain.close()])
    },
  }
}
