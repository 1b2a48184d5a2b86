/** `npm run bench -- <name>`: prints each metric with its baseline from the same run, as JSON lines. */
import { accounts } from './accounts.ts'
import { actions } from './actions.ts'
import { chain } from './chain.ts'
import { channel } from './channel.ts'
import { credits } from './credits.ts'
import { front } from './front.ts'
import { gas } from './gas.ts'
import { intake } from './intake.ts'
import { queue } from './queue.ts'
import { schedule } from './schedule.ts'
import setUpServer from '../origin/db/server-setup.ts'

const benches: Record<string, () => Promise<void>> = {
  accounts,
  actions,
  chain,
  channel,
  credits,
  front,
  gas,
  intake,
  queue,
  schedule,
}

const [name = ''] = process.argv.slice(2)
const bench = benches[name]
if (!bench) {
  console.error(`usage: npm run bench -- ${Object.keys(benches).join(' | ')}`)
  process.exit(2)
}
const closeServer = await setUpServer()
await bench()
await closeServer()
process.exit(0)
