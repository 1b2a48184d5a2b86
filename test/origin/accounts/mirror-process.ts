/**
 * A process with a mirror and a read lease, for tests that stop one. A parent forks it and asks it to resolve keys.
 * Arguments: RPC URL, contract address, its block, database URL.
 */
import { randomUUID } from 'node:crypto'
import { chainIdentity, connectChain } from '../../../origin/accounts/chain.ts'
import { AccountsMirror } from '../../../origin/accounts/mirror.ts'
import { ReadLease } from '../../../origin/accounts/mirror/read-lease.ts'
import { openDatabase } from '../../../origin/db/open.ts'

const [rpcUrl = '', address = '', block = '', url = ''] = process.argv.slice(2)
const now = () => performance.now()
const chain = await connectChain([rpcUrl], { address, block: Number(block) })
const onFailure = () => {}
// Polls the chain only when its lease requires it, so it learns of new blocks only from the requirement.
const mirror = new AccountsMirror({ chain, pollMs: 1_000_000, now, onFailure, finality: 2 })
await mirror.start()
const { db } = await openDatabase({ url })
const identity = await chainIdentity(chain)
const lease = new ReadLease({
  db,
  mirror,
  now,
  onFailure,
  processId: randomUUID(),
  chain: identity,
})
await lease.start()

function answer(keyHash: string): string {
  try {
    return mirror.current().principal(keyHash) ? 'known' : 'unknown'
  } catch {
    return 'unavailable'
  }
}
process.on('message', (keyHash: string) => process.send?.(answer(keyHash)))
process.once('disconnect', () => process.exit(0))
process.send?.('ready')
