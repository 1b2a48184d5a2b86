/**
 * A process with its own writer. Creates a group for each write ID that it is given, at the start or in a message, and
 * reports the created ones.
 */
import { randomUUID } from 'node:crypto'
import { connectChain } from '../../../origin/accounts/chain.ts'
import { AccountsMirror } from '../../../origin/accounts/mirror.ts'
import { AccountsWriter } from '../../../origin/accounts/writer.ts'
import { openDatabase } from '../../../origin/db/open.ts'
import { Keyring } from '../../../origin/keys/keyring.ts'
import { HEARTBEAT_MS, RunClaims } from '../../../origin/runs/claims.ts'

export type WriterProcessInput = {
  rpcUrl: string
  contract: { address: string; block: number }
  databaseUrl: string
  /** Hex-encoded. */
  rootKey: string
  leaseMs: number
  /** 2 by default. */
  payers?: number
  /** If given, the process has this ID, and sends heartbeats. Otherwise, its ID is random. */
  heartbeatAs?: string
  accountHash: string
  writeIds: string[]
}

const input = JSON.parse(process.argv[2]!) as WriterProcessInput
const keyring = new Keyring(Buffer.from(input.rootKey, 'hex'))
const chain = await connectChain([input.rpcUrl], input.contract)
const { db } = await openDatabase({ url: input.databaseUrl })
const now = () => performance.now()
const mirror = new AccountsMirror({ chain, pollMs: 250, now, onFailure: () => {} })
await mirror.start()
const processId = input.heartbeatAs ?? randomUUID()
if (input.heartbeatAs !== undefined) {
  const outcomeKey = keyring.outcomeKey()
  const claims = new RunClaims({ db, processId, outcomeKey, now: Date.now })
  await claims.heartbeat()
  setInterval(() => void claims.heartbeat(), HEARTBEAT_MS)
}
const writer = new AccountsWriter({
  chain,
  mirror,
  db,
  payers: input.payers ?? 2,
  finality: 2,
  leaseMs: input.leaseMs,
  processId,
  payerKey: (number) => keyring.payerKey(number),
  now: Date.now,
  log: (event, facts) => process.send?.({ log: { event, facts } }),
})
await writer.start()

async function write(writeId: string): Promise<void> {
  for (;;) {
    try {
      const audit = {
        accountHash: input.accountHash,
        operation: writeId,
        actor: { kind: 'account_key', id: null },
        requestId: null,
        clientAddress: null,
      } as const
      await writer.write('addGroup', [input.accountHash, writeId, '', [], []], { writeId, audit })
      process.send?.({ done: writeId })
      return
    } catch (error) {
      process.send?.({ log: { failed: String(error) } })
    }
  }
}

process.on('message', (writeId: string) => void write(writeId))
process.send?.({ ready: true })
await Promise.all(input.writeIds.map(write))
process.send?.({ finished: true })
