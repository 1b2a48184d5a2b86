/**
 * Webhook to durable 202, against a bare object RPC with one durable insert: the same runner, as many objects,
 * windows in turn. Dispatch is held back by an origin that asks for an hour's patience.
 */
import { createHash, randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { evidenceKeyFile } from '../../origin/http/evidence-keys.ts'
import { Keyring } from '../../origin/keys/keyring.ts'
import { approvedToken } from '../../origin/stack/approved-token.ts'
import { Child } from '../../origin/stack/child.ts'
import { choosePorts } from '../../origin/stack/ports.ts'
import { loadTls } from '../../origin/tls.ts'
import { startSealedOrigin } from '../doubles/sealed-origin.ts'
import { type LoadResult, post } from './load.ts'
import { median, report } from './report.ts'

/** Posts to one trigger before the next takes over: an object's table stays of one size in every window. */
const POSTS_PER_TRIGGER = 5_000
const WINDOWS = 7
const WARM_UP = 1_000
const ALONE = { requests: 1_500, inFlight: 1 }
const CROWD = { requests: 5_000, inFlight: 64 }

const body = Buffer.from(JSON.stringify({ ref: 'refs/heads/main', after: 'a'.repeat(40) }))
const headers = {
  'content-type': 'application/json',
  'user-agent': 'bench',
  'x-github-event': 'push',
  'x-hub-signature-256': `sha256=${'0'.repeat(64)}`,
}
const heldBack = JSON.stringify({
  steps: [{ refuse: { status: 503, error: 'service_unavailable', retry_after_s: 3_600 } }],
})

/** Gives each post its URL: a fresh object every `POSTS_PER_TRIGGER`. */
class Targets {
  readonly #make: () => Promise<string>
  #url = ''
  #left = 0

  constructor(make: () => Promise<string>) {
    this.#make = make
  }

  /** A URL for a window of this many posts. */
  async take(posts: number): Promise<string> {
    if (posts > this.#left) {
      this.#url = await this.#make()
      this.#left = POSTS_PER_TRIGGER
    }
    this.#left -= posts
    return this.#url
  }
}

export async function intake(): Promise<void> {
  const stateDir = mkdtempSync(join(tmpdir(), 'svc-bench-'))
  const closers: (() => Promise<void>)[] = []
  try {
    const ports = await choosePorts({
      SVC_EDGE_PORT: '0',
      SVC_ORIGIN_PORT: '0',
      SVC_CHAIN_PORT: '0',
    })
    const { bindings, caFile, origin } = await heldOrigin(stateDir, ports)
    closers.push(() => origin.close())
    const edge = runner('edge', join(stateDir, 'edge'), ports.edge, {
      EDGE_BINDINGS: JSON.stringify(bindings),
      NODE_EXTRA_CA_CERTS: caFile,
    })
    closers.push(() => edge.stop())
    const baseline = runner('baseline', join(stateDir, 'baseline'), ports.chain, {
      EDGE_BINDINGS: '{}',
      EDGE_CONFIG: fileURLToPath(new URL('./baseline/wrangler.toml', import.meta.url)),
    })
    closers.push(() => baseline.stop())
    await edge.message()
    await baseline.message()

    const url = `http://localhost:${ports.edge}`
    const { token } = await approvedToken(url)
    const ours = new Targets(() => makeTrigger(url, token))
    const floor = new Targets(
      async () => `http://localhost:${ports.chain}/webhook/${randomBytes(16).toString('hex')}`,
    )
    await measure(ours, floor)
  } finally {
    for (const close of closers.toReversed()) await close()
    rmSync(stateDir, { recursive: true, force: true })
  }
}

async function measure(ours: Targets, floor: Targets): Promise<void> {
  const window = async (targets: Targets, load: { requests: number; inFlight: number }) => {
    const target = await targets.take(load.requests)
    return post({ url: () => target, body, headers, ...load })
  }
  for (const targets of [floor, ours]) await window(targets, { requests: WARM_UP, inFlight: 16 })
  const alone = await inTurn((targets) => window(targets, ALONE), ours, floor)
  const p50 = (results: LoadResult[]) => median(results.map((result) => median(result.latenciesMs)))
  report({
    bench: 'intake',
    metric: 'intake_p50_ms',
    value: p50(alone.ours),
    unit: 'ms',
    baseline: p50(alone.floor),
    ratio: median(
      alone.ours.map(
        (result, i) => median(result.latenciesMs) / median(alone.floor[i]!.latenciesMs),
      ),
    ),
  })
  const crowd = await inTurn((targets) => window(targets, CROWD), ours, floor)
  const rate = (results: LoadResult[]) => median(results.map((result) => result.perSecond))
  report({
    bench: 'intake',
    metric: 'intake_rate_64',
    value: rate(crowd.ours),
    unit: 'requests/s',
    baseline: rate(crowd.floor),
    ratio: median(crowd.ours.map((result, i) => result.perSecond / crowd.floor[i]!.perSecond)),
  })
}

/** Windows of both in turn, so that what else the machine does meets both. */
async function inTurn(
  window: (targets: Targets) => Promise<LoadResult>,
  ours: Targets,
  floor: Targets,
): Promise<{ ours: LoadResult[]; floor: LoadResult[] }> {
  const results = { ours: [] as LoadResult[], floor: [] as LoadResult[] }
  for (let n = 0; n < WINDOWS; n++) {
    results.floor.push(await window(floor))
    results.ours.push(await window(ours))
  }
  return results
}

async function heldOrigin(stateDir: string, ports: { edge: number; origin: number }) {
  const root = randomBytes(32)
  const psk = randomBytes(32).toString('base64url')
  const keyring = new Keyring(root)
  const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')
  const origin = await startSealedOrigin({ stateDir, root, psk, port: ports.origin })
  const { caFile } = await loadTls(stateDir)
  const bindings = {
    SVC_ENV: 'local',
    ORIGIN_URL: origin.url,
    PUBLIC_URL: `http://localhost:${ports.edge}`,
    ORIGIN_TRUST: 'pinned',
    CHANNEL_KEY_SHA256: sha256(evidenceKeyFile(keyring.channelKey(1))),
    STORAGE_KEY_SHA256: sha256(evidenceKeyFile(keyring.storageKey())),
    CHANNEL_PSK: psk,
    ID_MAC_KEY: randomBytes(32).toString('base64url'),
  }
  return { bindings, caFile, origin }
}

function runner(name: string, folder: string, port: number, env: Record<string, string>): Child {
  const entry = fileURLToPath(new URL('../../origin/stack/edge-runner.ts', import.meta.url))
  return new Child({
    name,
    command: process.execPath,
    args: ['--disable-warning=ExperimentalWarning', entry],
    env: { ...process.env, EDGE_STATE_DIR: folder, EDGE_PORT: String(port), ...env },
    ipc: true,
    stopSignal: 'SIGTERM',
    onLine: () => {},
    started: () => {},
  })
}

async function makeTrigger(triggersUrl: string, token: string): Promise<string> {
  const response = await fetch(`${triggersUrl}/api/triggers`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      name: 'bench',
      kind: 'webhook',
      action_code: heldBack,
      usage_api_key: randomBytes(32).toString('base64'),
      max_queued_runs: 10_000,
    }),
  })
  if (response.status !== 201)
    throw new Error(`create: ${response.status} ${await response.text()}`)
  return ((await response.json()) as { webhook_url: string }).webhook_url
}
