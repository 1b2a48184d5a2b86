/** Writers on a chain and a database of their own, and what is on the chain in the end. */
import { randomBytes, randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { id, type TransactionReceipt } from 'ethers'
import { accountConfig, connectChain } from '../../../origin/accounts/chain.ts'
import { AccountsMirror } from '../../../origin/accounts/mirror.ts'
import { AccountsWriter, type WriterOptions } from '../../../origin/accounts/writer.ts'
import type { OpenDatabase } from '../../../origin/db/open.ts'
import { chainWrites, payers } from '../../../origin/db/schema.ts'
import { addressOf, Keyring } from '../../../origin/keys/keyring.ts'
import { startContract } from './contract.ts'
import { openFresh } from '../db/fresh-database.ts'

export type Writing = Awaited<ReturnType<typeof startWriting>>
export type WriterUnderTest = Awaited<ReturnType<Writing['open']>>

type OpenOptions = Partial<WriterOptions> & {
  rpcUrl?: string
  /** What happens between a write's receipt and the mirror's look at its block. */
  beforeSync?: () => Promise<void>
  /** Interval at which the mirror polls the chain. */
  pollMs?: number
}

/** As the tests register them with the contract; few of them are used by most. */
const PAYERS = 4

let count = 0
export const newHash = (): string => id(`written ${++count} ${randomUUID()}`)

export async function startWriting(database?: OpenDatabase, rootKey = randomBytes(32)) {
  const keyring = new Keyring(rootKey)
  const payerKey = (number: number) => keyring.payerKey(number)
  const addresses = Array.from({ length: PAYERS + 1 }, (_, number) => addressOf(payerKey(number)))
  const contract = await startContract(...addresses)
  const { db, close } = database ?? (await openFresh())
  const closers: (() => Promise<void>)[] = []

  /** The events of a name, with their arguments. */
  const events = async (name: string): Promise<Record<string, any>[]> => {
    const logs = await contract.chain.provider.getLogs({
      address: contract.chain.contractAddress,
      fromBlock: contract.chain.contractBlock,
    })
    return logs.flatMap((log) => {
      const event = accountConfig.parseLog(log)
      return event?.name === name ? [event.args.toObject(false)] : []
    })
  }

  const self = {
    ...contract,
    addresses,
    db,
    payerKey,
    /** A writer as a process has one; each call is another process. */
    open: async (given: OpenOptions = {}) => {
      const { rpcUrl = contract.rpcUrl, beforeSync, pollMs = 250, ...options } = given
      const { contractAddress: address, contractBlock: block } = contract.chain
      const chain = await connectChain(rpcUrl, { address, block })
      const now = () => performance.now()
      const mirror = new AccountsMirror({ chain, pollMs, now, onFailure: () => {} })
      await mirror.start()
      const logs: { event: string; facts: object }[] = []
      const writer = new AccountsWriter({
        chain,
        mirror: {
          get block() {
            return mirror.block
          },
          syncTo: async (number, hash) => {
            await beforeSync?.()
            await mirror.syncTo(number, hash)
          },
        },
        db,
        payerKey,
        payers: 2,
        finality: 2,
        now: Date.now,
        processId: randomUUID(),
        log: (event, facts = {}) => void logs.push({ event, facts }),
        ...options,
      })
      await writer.start()
      let closed = false
      const closeWriter = async () => {
        if (closed) return
        closed = true
        await writer.close()
        await mirror.close()
        chain.provider.destroy()
      }
      closers.push(closeWriter)
      return {
        writer,
        mirror,
        logs,
        close: closeWriter,
        newAccount: (hash: string, writeId?: string): Promise<TransactionReceipt> =>
          writer.write('newAccount', [hash, `0x${hash.slice(26)}`, 'name', ''], { writeId }),
        addGroup: (hash: string, name: string, writeId?: string): Promise<TransactionReceipt> =>
          writer.write('addGroup', [hash, name, '', [], []], { writeId }),
      }
    },
    closeWriters: async () => {
      await Promise.all(closers.splice(0).map((closeWriter) => closeWriter()))
    },
    /** Which groups of a name there are on the chain, one entry for each time one was made. */
    groups: async (name: string) =>
      (await events('GroupSet')).filter((group) => group.name === name).length,
    /** How often each group was made, by name. */
    groupCounts: async () => {
      const times = new Map<string, number>()
      for (const { name } of await events('GroupSet')) times.set(name, (times.get(name) ?? 0) + 1)
      return times
    },
    accounts: async (hash: string) =>
      (await events('AccountCreated')).filter(
        ({ accountHash }) => BigInt(accountHash) === BigInt(hash),
      ).length,
    rows: () => db.select().from(chainWrites),
    /** Rows of writes: those of top-ups left out. */
    writes: async () =>
      (await db.select().from(chainWrites)).filter((row) => !row.functionName.startsWith('top_up')),
    leases: () => db.select().from(payers).orderBy(payers.number),
    /** From now on blocks are made by `mine` alone. */
    standStill: async () => {
      await contract.send('evm_setIntervalMining', [0])
      await contract.send('evm_setAutomine', [false])
    },
    mine: (blocks = 1) => contract.send('anvil_mine', [`0x${blocks.toString(16)}`]),
    goOn: async () => {
      await contract.send('evm_setAutomine', [true])
      await contract.send('evm_setIntervalMining', [1])
    },
    /** Mines until the promise has settled. */
    mineUntil: async <Result>(promise: Promise<Result>, everyMs = 100): Promise<Result> => {
      const pending = Symbol('pending')
      const state = () => Promise.race([promise.catch(() => undefined), sleep(everyMs, pending)])
      do await self.mine()
      while ((await state()) === pending)
      return promise
    },
    close: async () => {
      await self.closeWriters()
      await contract.close()
      await close()
    },
  }
  return self
}
