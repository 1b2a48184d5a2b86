/** A process with its own writer. Creates a group for each write ID that it is given, and reports the created ones. */
import { randomUUID } from 'node:crypto'
import { connectChain } from '../../../origin/accounts/chain.ts'
import { AccountsMirror } from '../../../origin/accounts/mirror.ts'
import { AccountsWriter } from '../../../origin/accounts/writer.ts'
import { openDatabase } from '../../../origin/db/open.ts'
import { Keyring } from '../../../origin/keys/keyring.ts'

export type WriterProcessInput = {
  rpcUrl: string
  contract: { address: string; block: number }
  databaseUrl: string
  /** Hex-encoded. */
  rootKey: string
  leaseMs: number
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
const writer = new AccountsWriter({
  chain,
  mirror,
  db,
  payers: 2,
  finality: 2,
  leaseMs: input.leaseMs,
  processId: randomUUID(),
  payerKey: (number) => keyring.payerKey(number),
  now: Date.now,
  log: (event, facts) => process.send?.({ log: { event, facts } }),
})
await writer.start()
process.send?.({ ready: true })
await Promise.all(
  input.writeIds.map(async (writeId) => {
    for (;;) {
      try {
        await writer.write('addGroup', [input.accountHash, writeId, '', [], []], { writeId })
        return process.send?.({ done: writeId })
      } catch (error) {
        process.send?.({ log: { failed: String(error) } })
      }
    }
  }),
)
process.send?.({ finished: true })
