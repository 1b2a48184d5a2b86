/** What the edge's tests and the origin's double have to agree on before either starts. */
import { createHash, randomBytes } from 'node:crypto'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { evidenceKeyFile } from '../../origin/http/evidence-keys.ts'
import { Keyring } from '../../origin/keys/keyring.ts'
import { freePort } from '../../origin/stack/ports.ts'
import { loadTls } from '../../origin/tls.ts'
import type { SealedOriginOptions } from './sealed-origin.ts'

const VARIABLE = 'SVC_TEST_SEALED_ORIGIN'

/**
 * Chooses the port and the keys, and makes the authority that workerd is to trust. Vitest reads its configuration
 * once for each project: the first reading decides for all of them.
 */
export async function makeEdgeTestEnvironment() {
  if (process.env[VARIABLE] === undefined) await choose()
  const { root, psk, port } = readEdgeTestEnvironment()
  const keyring = new Keyring(root)
  const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')
  return {
    SVC_ENV: 'local',
    ORIGIN_URL: `https://localhost:${port}`,
    PUBLIC_URL: 'https://edge.test',
    ORIGIN_TRUST: 'pinned',
    CHANNEL_KEY_SHA256: sha256(evidenceKeyFile(keyring.channelKey(1))),
    STORAGE_KEY_SHA256: sha256(evidenceKeyFile(keyring.storageKey())),
    CHANNEL_PSK: psk,
    ID_MAC_KEY: randomBytes(32).toString('base64url'),
  }
}

async function choose(): Promise<void> {
  const stateDir = mkdtempSync(join(tmpdir(), 'svc-edge-test-'))
  const { caFile } = await loadTls(stateDir)
  const port = await freePort()
  const root = randomBytes(32).toString('hex')
  const psk = randomBytes(32).toString('base64url')
  process.env[VARIABLE] = JSON.stringify({ stateDir, port, psk, root })
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
