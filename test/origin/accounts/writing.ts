/** Writers on their own chain and database, and queries for what ended up on the chain. */
import { randomBytes, randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { id, type TransactionReceipt } from 'ethers'
import { accountConfig, connectChain } from '../../../origin/accounts/chain.ts'
import { AccountsMirror } from '../../../origin/accounts/mirror.ts'
import { AccountsWriter, type WriterOptions } from '../../../origin/accounts/writer.ts'
import type { OpenDatabase } from '../../../origin/db/open.ts'
import { chainWrites, payers } from '../../../origin/db/schema.ts'
import { addressFromPrivateKey, Keyring } from '../../../origin/keys/keyring.ts'
import { startContract } from './contract.ts'
import { openFresh } from '../db/fresh-database.ts'

export type Writing = Awaited<ReturnType<typeof startWriting>>
export type WriterUnderTest = Awaited<ReturnType<Writing['open']>>

type OpenOptions = Partial<WriterOptions> & {
  rpcUrl?: string | string[]
  /** Called between a write's receipt and the mirror's sync to its block. */
  beforeSync?: () => Promise<void>
  /** Interval at which the mirror polls the chain. */
  pollMs?: number
}

/** Registered with the contract. Most tests use fewer. */
const PAYERS = 4

let count = 0
export const newHash = (): string => id(`written ${++count} ${randomUUID()}`)

export async function startWriting(database?: OpenDatabase, rootKey = randomBytes(32)) {
  const keyring = new Keyring(rootKey)
  const payerKey = (number: number) => keyring.payerKey(number)
  const addresses = Array.from({ length: PAYERS + 1 }, (_, number) =>
    addressFromPrivateKey(payerKey(number)),
  )
  const contract = await startContract(...addresses)
  const { db, close } = database ?? (await openFresh())
  const closers: (() => Promise<void>)[] = []

  /** Returns the arguments of all events of a name. */
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
    /** Opens a writer. Each call stands for a separate process. */
    open: async (given: OpenOptions = {}) => {
      const { rpcUrl = contract.rpcUrl, beforeSync, pollMs = 250, ...options } = given
      const { contractAddress: address, contractBlock: block } = contract.chain
      const chain = await connectChain([rpcUrl].flat(), { address, block })
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
        chain,
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
    /** Counts how often a group of this name was created on the chain. */
    groups: async (name: string) =>
      (await events('GroupSet')).filter((group) => group.name === name).length,
    /** Counts how often each group was created, by name. */
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
    /** Rows of writes, without top-ups. */
    writes: async () =>
      (await db.select().from(chainWrites)).filter((row) => !row.functionName.startsWith('top_up')),
    leases: () => db.select().from(payers).orderBy(payers.number),
    /** From now on, only `mine` makes blocks. */
    standStill: async () => {
      await contract.send('evm_setIntervalMining', [0])
      await contract.send('evm_setAutomine', [false])
    },
    mine: (blocks = 1) => contract.send('anvil_mine', [`0x${blocks.toString(16)}`]),
    goOn: async () => {
      await contract.send('evm_setAutomine', [true])
      await contract.send('evm_setIntervalMining', [1])
    },
    /** Mines until the promise settles. */
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
