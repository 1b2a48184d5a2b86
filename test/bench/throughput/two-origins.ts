/**
 * Two origin processes on one database behind a round-robin proxy, with one edge. The baseline is one of the processes
 * behind the same proxy, while the other one is idle.
 */
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { EXECUTORS_MIN_DEFAULT } from '../../../origin/actions/pool/options.ts'
import { loadRootKey } from '../../../origin/keys/root-key-file.ts'
import { freePort } from '../../../origin/stack/ports.ts'
import { simulatedPinOf } from '../../../origin/tee/simulated/provider.ts'
import { loadTls } from '../../../origin/tls.ts'
import { CHANNEL_PSK, startOrigins } from '../../system/origins.ts'
import { newOwner } from '../../system/owner.ts'
import { runner } from '../edge.ts'
import { report } from '../report.ts'
import type { DurablePostgres } from './durable-postgres.ts'
import { burst, createTriggers, TRIVIAL } from './loaded-stack.ts'
import { startRoundRobin } from './round-robin.ts'

const TRIGGERS = 100
const WARM_UP_EVENTS_EACH = 5
const EVENTS_EACH = 20

export async function measureTwoOrigins(postgres: DurablePostgres): Promise<void> {
  const { origins, lines, close } = await startOrigins(2, {
    settings: {
      DATABASE_URL: await postgres.createDatabase('two_origins'),
      SVC_EXECUTORS_MIN: String(EXECUTORS_MIN_DEFAULT),
      SVC_EXECUTORS_MAX: '64',
    },
  })
  const stateDir = mkdtempSync(join(tmpdir(), 'svc-bench-'))
  const proxy = await startRoundRobin()
  const ports = origins.map(({ url }) => Number(new URL(url).port))
  proxy.use(ports.slice(0, 1))
  const baseUrl = `https://localhost:${proxy.port}`
  const port = await freePort()
  const triggersUrl = `http://localhost:${port}`
  const seed = origins[0]!.stateDir
  const edge = runner('edge', stateDir, port, {
    EDGE_BINDINGS: JSON.stringify({
      SVC_ENV: 'local',
      ORIGIN_URL: baseUrl,
      PUBLIC_URL: triggersUrl,
      ORIGIN_TRUST: 'simulated',
      SIM_ROOT_SHA256: simulatedPinOf(loadRootKey(seed, 'local')),
      CHANNEL_PSK: CHANNEL_PSK.toString('base64url'),
      ID_MAC_KEY: randomBytes(32).toString('base64url'),
    }),
    NODE_EXTRA_CA_CERTS: (await loadTls(seed)).caFile,
  })
  try {
    await edge.waitForReady()
    const owner = await newOwner({ baseUrl, triggersUrl })
    const triggers = await createTriggers(owner, TRIGGERS, TRIVIAL)
    const rate = async () => {
      await burst(owner, triggers, WARM_UP_EVENTS_EACH)
      return burst(owner, triggers, EVENTS_EACH)
    }
    const baseline = await rate()
    proxy.use(ports)
    const value = await rate()
    if (!lines.some((line) => line.startsWith('b |') && line.includes('run.ended')))
      throw new Error('the second origin executed no run')
    report({
      bench: 'throughput',
      metric: 'runs_per_s_two_origins',
      value,
      unit: 'runs/s',
      baseline,
      ratio: value / baseline,
    })
  } finally {
    await edge.stop()
    proxy.close()
    await close()
    rmSync(stateDir, { recursive: true, force: true })
  }
}
