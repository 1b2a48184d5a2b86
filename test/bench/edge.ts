/** The deployed edge in a separate process, with an origin double that is scripted by the action source. */
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createApprovedToken } from '../../origin/stack/approved-token.ts'
import { Child } from '../../origin/stack/child.ts'
import { choosePorts } from '../../origin/stack/ports.ts'
import { simulatedPinOf } from '../../origin/tee/simulated/provider.ts'
import { loadTls } from '../../origin/tls.ts'
import type { RunRecord, TriggerRecord } from '../../shared/wire/trigger.ts'
import { startSealedOrigin } from '../doubles/sealed-origin.ts'

export type BenchEdge = {
  url: string
  origin: Awaited<ReturnType<typeof startSealedOrigin>>
  /** URL of the worker that measures the baselines. */
  baselineUrl: string
  close(): Promise<void>
}

/** @param settings of the Worker, in addition to the required ones */
export async function startEdge(settings: Record<string, string> = {}): Promise<BenchEdge> {
  const stateDir = mkdtempSync(join(tmpdir(), 'svc-bench-'))
  const closers: (() => Promise<unknown>)[] = []
  const close = async () => {
    for (const closer of closers.toReversed()) await closer()
    rmSync(stateDir, { recursive: true, force: true })
  }
  try {
    const ports = await choosePorts({
      SVC_EDGE_PORT: '0',
      SVC_ORIGIN_PORT: '0',
      SVC_CHAIN_PORT: '0',
    })
    const { bindings, caFile, origin } = await originDouble(stateDir, ports)
    closers.push(() => origin.close())
    const edge = runner('edge', join(stateDir, 'edge'), ports.edge, {
      EDGE_BINDINGS: JSON.stringify({ ...bindings, ...settings }),
      NODE_EXTRA_CA_CERTS: caFile,
    })
    closers.push(() => edge.stop())
    const baseline = runner('baseline', join(stateDir, 'baseline'), ports.chain, {
      EDGE_BINDINGS: '{}',
      EDGE_CONFIG: fileURLToPath(new URL('./baseline/wrangler.toml', import.meta.url)),
    })
    closers.push(() => baseline.stop())
    await edge.waitForReady()
    await baseline.waitForReady()
    const url = `http://localhost:${ports.edge}`
    return { url, origin, baselineUrl: `http://localhost:${ports.chain}`, close }
  } catch (error) {
    await close()
    throw error
  }
}

export type BenchOwner = {
  create(trigger: object): Promise<{ id: string; webhook_url: string }>
  trigger(id: string): Promise<TriggerRecord>
  /** All runs, newest first. */
  runs(id: string): Promise<RunRecord[]>
}

/** Creates an account with an approved token. */
export async function benchOwner(
  edgeUrl: string,
  email = 'bench@example.com',
): Promise<BenchOwner> {
  const { token } = await createApprovedToken(edgeUrl, email)
  const api = async (path: string, body?: object) => {
    const response = await fetch(`${edgeUrl}/api/${path}`, {
      method: body ? 'POST' : 'GET',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    })
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`)
    return response.json()
  }
  return {
    create: async (trigger) =>
      (await api('triggers', {
        name: 'bench',
        kind: 'webhook',
        usage_api_key: randomBytes(32).toString('base64'),
        max_queued_runs: 10_000,
        max_runs_per_minute: 6_000,
        ...trigger,
      })) as { id: string; webhook_url: string },
    trigger: async (id) => (await api(`triggers/${id}`)) as TriggerRecord,
    runs: async (id) => {
      const all: RunRecord[] = []
      for (;;) {
        const path = `triggers/${id}/runs?limit=100&offset=${all.length}`
        const { runs } = (await api(path)) as { runs: RunRecord[] }
        if (runs.length === 0) return all
        all.push(...runs)
      }
    },
  }
}

async function originDouble(stateDir: string, ports: { edge: number; origin: number }) {
  const root = randomBytes(32)
  const psk = randomBytes(32).toString('base64url')
  const origin = await startSealedOrigin({ stateDir, root, psk, port: ports.origin })
  const { caFile } = await loadTls(stateDir)
  const bindings = {
    SVC_ENV: 'local',
    ORIGIN_URL: origin.url,
    PUBLIC_URL: `http://localhost:${ports.edge}`,
    ORIGIN_TRUST: 'simulated',
    SIM_ROOT_SHA256: simulatedPinOf(root),
    CHANNEL_PSK: psk,
    ID_MAC_KEY: randomBytes(32).toString('base64url'),
  }
  return { bindings, caFile, origin }
}

export function runner(
  name: string,
  folder: string,
  port: number,
  env: Record<string, string>,
): Child {
  const entry = fileURLToPath(new URL('../../origin/stack/edge-runner.ts', import.meta.url))
  return new Child({
    name,
    command: process.execPath,
    args: ['--disable-warning=ExperimentalWarning', entry],
    env: { ...process.env, EDGE_STATE_DIR: folder, EDGE_PORT: String(port), ...env },
    ipc: true,
    stopSignal: 'SIGTERM',
    onLine: (line) => {
      // Prints failures, because they invalidate the figures.
      if (/away|failed/.test(line)) console.error(line.slice(0, 300))
    },
    started: () => {},
  })
}
