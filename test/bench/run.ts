/** `npm run bench -- <name> [phase]`: prints each metric with its baseline from the same run, as JSON lines. */
import { accounts } from './accounts.ts'
import { actions } from './actions.ts'
import { build } from './build.ts'
import { chain } from './chain.ts'
import { channel } from './channel.ts'
import { credits } from './credits.ts'
import { front } from './front.ts'
import { gas } from './gas.ts'
import { intake } from './intake.ts'
import { policies } from './policies.ts'
import { queue } from './queue.ts'
import { scale } from './scale.ts'
import { schedule } from './schedule.ts'
import { throughput } from './throughput.ts'
import { transactions } from './transactions.ts'
import { buildSandboxBundles } from '../../origin/actions/bundles.ts'
import setUpServer from '../origin/db/server-setup.ts'

const benches: Record<string, (phase?: string) => Promise<void>> = {
  accounts,
  actions,
  build,
  chain,
  channel,
  credits,
  front,
  gas,
  intake,
  policies,
  queue,
  scale,
  schedule,
  throughput,
  transactions,
}

const [name = '', phase] = process.argv.slice(2)
const bench = benches[name]
if (!bench) {
  console.error(`usage: npm run bench -- ${Object.keys(benches).join(' | ')}`)
  process.exit(2)
}
await buildSandboxBundles()
const closeServer = await setUpServer()
await bench(phase)
await closeServer()
process.exit(0)
