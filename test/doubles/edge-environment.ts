/** Settings that the edge tests and the origin double must agree on before either starts. */
import { randomBytes } from 'node:crypto'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '../../origin/stack/ports.ts'
import { simulatedPinOf } from '../../origin/tee/simulated/provider.ts'
import { loadTls } from '../../origin/tls.ts'
import { machineSettings } from './evidence.ts'
import type { SealedOriginOptions } from './sealed-origin.ts'

const VARIABLE = 'SVC_TEST_SEALED_ORIGIN'

/**
 * Chooses ports and keys, and creates the CA for workerd. Vitest reads its configuration once per project; the first
 * read decides for all of them.
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
    SIM_ROOT_SHA256: simulatedPinOf(root),
    ...(await machineSettings(root)),
    CHANNEL_PSK: psk,
    ID_MAC_KEY: randomBytes(32).toString('base64url'),
    SVC_COMMIT: 'c'.repeat(40),
    // Request logs would hide the output of the tests.
    SVC_LOG_LEVEL: 'warn',
    METRICS_TOKEN: randomBytes(24).toString('base64url'),
    OPERATOR_TOKEN: randomBytes(24).toString('base64url'),
    // Each chain has its own path on one double; `polygon` is not configured.
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

/** Chain IDs by name, as the node double answers `eth_chainId`. */
export const TEST_CHAINS = { ethereum: 1, base: 8453, arbitrum: 42_161, bsc: 56 }

async function choose(): Promise<void> {
  const stateDir = mkdtempSync(join(tmpdir(), 'svc-edge-test-'))
  const { caFile } = await loadTls(stateDir)
  const port = await freePort()
  const chainPort = await freePort()
  const root = randomBytes(32).toString('hex')
  const psk = randomBytes(32).toString('base64url')
  process.env[VARIABLE] = JSON.stringify({ stateDir, port, chainPort, psk, root })
  // Miniflare reads this variable on import.
  process.env.NODE_EXTRA_CA_CERTS = caFile
}

/** Reads the same settings in the process that starts the double. */
export function readEdgeTestEnvironment(): SealedOriginOptions {
  const { root, ...rest } = JSON.parse(process.env[VARIABLE] ?? '{}') as Omit<
    SealedOriginOptions,
    'root'
  > & { root: string }
  return { ...rest, root: Buffer.from(root, 'hex') }
}

export function readChainNodePort(): number {
  return (JSON.parse(process.env[VARIABLE] ?? '{}') as { chainPort: number }).chainPort
}
