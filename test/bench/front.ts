/** Measures what the edge adds to a core API request: the same requests at edge and origin, in alternating windows. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Stack } from '../../origin/stack/stack.ts'
import { trustCa } from '../../origin/stack/trust-ca.ts'
import { median, report } from './report.ts'

const WINDOWS = 7
/** All windows together stay below the edge's rate limit per address. */
const REQUESTS = 30
const WARM_UP = 30

type Ask = (url: string) => Promise<Response>

export async function front(): Promise<void> {
  const stateDir = mkdtempSync(join(tmpdir(), 'svc-bench-'))
  const environment = { SVC_EDGE_PORT: '0', SVC_ORIGIN_PORT: '0', SVC_CHAIN_PORT: '0' }
  const originSettings = { SVC_STARTER_CREDITS_CENTS: '100000' }
  const stack = await Stack.start({ stateDir, environment, originSettings, onLine: () => {} })
  try {
    trustCa(stack.caFile)
    const key = await newAccount(stack.baseUrl)
    const headers = { 'x-api-key': key, 'content-type': 'application/json' }
    const body = JSON.stringify({ code: 'const main = () => 1' })
    const asks: Record<string, Ask> = {
      get_plain: (url) => fetch(`${url}/core/v1/version`),
      get_sealed: (url) => fetch(`${url}/core/v1/list_groups`, { headers }),
      svc_action: (url) => fetch(`${url}/core/v1/svc_action`, { method: 'POST', body, headers }),
    }
    for (const [name, ask] of Object.entries(asks)) await compare(name, ask, stack)
  } finally {
    await stack.stop()
    rmSync(stateDir, { recursive: true, force: true })
  }
}

async function compare(name: string, ask: Ask, { baseUrl, triggersUrl }: Stack): Promise<void> {
  const direct: number[] = []
  const passed: number[] = []
  await times(ask, baseUrl, WARM_UP)
  await times(ask, triggersUrl, WARM_UP)
  for (let window = 0; window < WINDOWS; window++) {
    direct.push(...(await times(ask, baseUrl, REQUESTS)))
    passed.push(...(await times(ask, triggersUrl, REQUESTS)))
  }
  const baseline = median(direct)
  const value = median(passed)
  const ratio = value / baseline
  report({ bench: 'front', metric: `${name}_p50_ms`, value, unit: 'ms', baseline, ratio })
}

async function times(ask: Ask, url: string, requests: number): Promise<number[]> {
  const taken: number[] = []
  for (let n = 0; n < requests; n++) {
    const began = performance.now()
    const response = await ask(url)
    await response.arrayBuffer()
    taken.push(performance.now() - began)
    if (response.status !== 200) throw new Error(`${url} answered ${response.status}`)
  }
  return taken
}

async function newAccount(baseUrl: string): Promise<string> {
  const response = await fetch(`${baseUrl}/core/v1/new_account`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ account_name: 'bench', account_description: '' }),
  })
  const { api_key } = (await response.json()) as { api_key: string }
  return api_key
}
