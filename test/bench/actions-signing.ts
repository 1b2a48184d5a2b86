/**
 * Measures a signature by the process with the keys against a signature in the sandbox, both within the same run and
 * with the real permission checks. The signature in the sandbox includes the request for the key.
 */
import type { ActionPool } from '../../origin/actions/run.ts'
import { capabilityFor } from '../../origin/runs/capability.ts'
import { accountOf, addressOf, keyring } from '../origin/runs/wallet-holder.ts'
import { median, type Metric } from './report.ts'

const CID = 'QmZsbmDzq494Wc1Yeszc98zS5R9PqNthCLyjAwPbRe7ZCD'
const WARM_UP = 300
const RUNS = 2_000

/** Signatures of each kind in a run, because the clock of an action has a resolution of 0.1 ms. */
const REPEATS = 4

/** Returns milliseconds for a signature. Alternates the order, because the first signature in a run takes longer. */
const CODE = `
  async function main({ pkpId, hostFirst, repeats }) {
    const host = () => Svc.Actions.signMessage({ pkpId, message: 'hello' })
    const inside = async () =>
      new ethers.Wallet(await Svc.Actions.getPrivateKey({ pkpId })).signMessage('hello')
    const timed = async (sign) => {
      const begin = performance.now()
      for (let n = 0; n < repeats; n++) await sign()
      return (performance.now() - begin) / repeats
    }
    if ((await host()) !== (await inside())) throw new Error('the signatures differ')
    const first = await timed(hostFirst ? host : inside)
    const second = await timed(hostFirst ? inside : host)
    return hostFirst ? [first, second] : [second, first]
  }`

export async function measureSigning(
  pool: ActionPool,
  metric: (values: Omit<Metric, 'bench'>) => void,
): Promise<void> {
  const account = accountOf('bench', ['signing'], [CID])
  const capability = capabilityFor(keyring, CID, () => ({ account, keyHash: account.hash }))
  const pkpId = addressOf(account.hash, 'signing')
  const run = async (hostFirst: boolean) => {
    const params = JSON.stringify({ pkpId, hostFirst, repeats: REPEATS })
    const limits = { wallMs: 10_000, cpuMs: 10_000 }
    const result = await pool.run({ account: 'bench', code: CODE, params, ...limits }, capability)
    if (result.kind !== 'returned') throw new Error(`a run failed: ${JSON.stringify(result)}`)
    return JSON.parse(result.value) as [host: number, inside: number]
  }
  for (let at = 0; at < WARM_UP; at++) await run(at % 2 === 0)
  const times: [number, number][] = []
  for (let at = 0; at < RUNS; at++) times.push(await run(at % 2 === 0))
  const host = median(times.map(([ms]) => ms))
  const inside = median(times.map(([, ms]) => ms))
  metric({
    metric: 'sign_message_host_ms',
    value: host,
    unit: 'ms',
    baseline: inside,
    ratio: host / inside,
  })
  metric({ metric: 'sign_message_host_extra_ms', value: host - inside, unit: 'ms' })
}
