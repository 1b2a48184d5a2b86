/** What the edge's tests and the origin's double have to agree on before either starts. */
import { randomBytes } from 'node:crypto'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '../../origin/stack/ports.ts'
import { rootPinOf } from '../../origin/tee/simulated/provider.ts'
import { loadTls } from '../../origin/tls.ts'
import { machineSettings } from './evidence.ts'
import type { SealedOriginOptions } from './sealed-origin.ts'

const VARIABLE = 'SVC_TEST_SEALED_ORIGIN'

/**
 * Chooses the port and the keys, and makes the authority that workerd is to trust. Vitest reads its configuration
 * once for each project: the first reading decides for all of them.
 */
export async function makeEdgeTestEnvironment() {
  if (process.env[VARIABLE] === undefined) await choose()
  const { root, psk, port } = readEdgeTestEnvironment()
  const node = `http://127.0.0.1:${readChainNodePort()}`
  return {
    SVC_ENV: 'local',
    ORIGIN_URL: `https://localhost:${port}`,
    PUBLIC_URL: 'https://edge.test',
    ORIGIN_TRUST: 'simulated',
    SIM_ROOT_SHA256: rootPinOf(root),
    ...(await machineSettings(root)),
    CHANNEL_PSK: psk,
    ID_MAC_KEY: randomBytes(32).toString('base64url'),
    // A line for each request would hide what a test says.
    SVC_LOG_LEVEL: 'warn',
    METRICS_TOKEN: randomBytes(24).toString('base64url'),
    // Each chain at a path of its own of one double; `polygon` is not configured.
    CHAINS: JSON.stringify(
      Object.fromEntries(
        Object.entries(TEST_CHAINS).map(([name, chain_id]) => [
          name,
          { chain_id, rpc: [`${node}/${name}`], poll_ms: 200 },
        ]),
      ),
    ),
  }
}

/** Their ids, by their names: what the double of their nodes answers to `eth_chainId`. */
export const TEST_CHAINS = { ethereum: 1, base: 8453, arbitrum: 42_161, bsc: 56 }

async function choose(): Promise<void> {
  const stateDir = mkdtempSync(join(tmpdir(), 'svc-edge-test-'))
  const { caFile } = await loadTls(stateDir)
  const port = await freePort()
  const chainPort = await freePort()
  const root = randomBytes(32).toString('hex')
  const psk = randomBytes(32).toString('base64url')
  process.env[VARIABLE] = JSON.stringify({ stateDir, port, chainPort, psk, root })
  // Read by Miniflare when it is imported.
  process.env.NODE_EXTRA_CA_CERTS = caFile
}

/** The same, in the process that starts the double. */
export function readEdgeTestEnvironment(): SealedOriginOptions {
  const { root, ...rest } = JSON.parse(process.env[VARIABLE] ?? '{}') as Omit<
    SealedOriginOptions,
    'root'
  > & { root: string }
  return { ...rest, root: Buffer.from(root, 'hex') }
}

/** Where the double of the chains' nodes listens. */
export function readChainNodePort(): number {
  return (JSON.parse(process.env[VARIABLE] ?? '{}') as { chainPort: number }).chainPort
}
