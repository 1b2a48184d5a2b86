import { mkdtempSync, readFileSync, rmSync, statSync, truncateSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, expect, it } from 'vitest'
import { isCompleteJson } from '../../origin/stack/chain-state.ts'
import { Stack } from '../../origin/stack/stack.ts'
import { trustCa } from '../../origin/stack/trust-ca.ts'
import { until } from './owner.ts'
import { anyPorts, ORIGIN_ENTRY, templateSetting } from './stack.ts'

const stateDir = mkdtempSync(join(tmpdir(), 'svc-chain-state-'))
const file = join(stateDir, 'chain', 'state.json')
const good = join(stateDir, 'chain', 'state.good.json')
const lines: string[] = []
let stack: Stack | undefined

async function start(): Promise<Stack> {
  lines.length = 0
  stack = await Stack.start({
    stateDir,
    environment: anyPorts,
    originSettings: {
      SVC_NEW_ACCOUNT_BURST: '1000',
      SVC_SHED_DELAY_MS: '10000',
      SVC_SHED_CPU_PRESSURE: '100',
      ...templateSetting(),
    },
    originEntry: ORIGIN_ENTRY,
    onLine: (component, line) => lines.push(`${component} | ${line}`),
  })
  trustCa(stack.caFile)
  return stack
}

/** Kills all components at once. The recorded process IDs are stale afterwards. */
async function kill(): Promise<void> {
  const all = ['chain', 'database', 'origin', 'edge'] as const
  await Promise.all(all.map((one) => stack!.kill(one)))
  await stack!.stop()
  stack = undefined
}

async function open(): Promise<string | undefined> {
  const response = await fetch(`${stack!.baseUrl}/core/v1/new_account`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{"account_name":"a","account_description":""}',
  })
  return response.ok ? ((await response.json()) as { api_key: string }).api_key : undefined
}

async function exists(key: string): Promise<unknown> {
  const headers = { 'x-api-key': key }
  return (await fetch(`${stack!.baseUrl}/core/v1/account_exists`, { headers })).json()
}

/** Waits until a backup copy at least as recent as the current chain state exists. */
function copied(): Promise<true> {
  const now = Date.now()
  return until(40, 'the state is copied', async () =>
    statSync(good).mtimeMs > now ? true : undefined,
  )
}

afterEach(async () => {
  await stack?.stop()
  stack = undefined
})
afterAll(() => rmSync(stateDir, { recursive: true, force: true }))

it('restores the backup copy, including accounts, if a kill truncated the state file', async () => {
  await start()
  const key = (await open())!
  await copied()
  await kill()
  truncateSync(file, Math.floor(statSync(file).size / 2))
  expect(await isCompleteJson(file)).toBe(false)

  await start()
  expect(lines).toContainEqual(expect.stringMatching(/^chain \| .*restored its last good copy/))
  expect(await exists(key)).toBe(true)
  expect(await open()).toBeDefined()
})

it('starts with the copied accounts after five kill -9 of all components at random moments', async () => {
  await start()
  const key = (await open())!
  await copied()
  for (let round = 0; round < 5; round++) {
    const enough = new AbortController()
    const opening = (async () => {
      while (!enough.signal.aborted) await open().catch(() => undefined)
    })()
    await new Promise((resume) => setTimeout(resume, 7_000 * Math.random()))
    await kill().finally(() => enough.abort())
    await opening.catch(() => undefined)
    await start()
    expect(lines.filter((line) => line.includes('mirror.failed'))).toEqual([])
    expect(
      await until(
        60,
        'the account is there',
        async () => (await exists(key)) === true || undefined,
      ),
    ).toBe(true)
  }
  expect(await until(60, 'an account is opened', open)).toBeDefined()
})

it('does not store the states of earlier blocks', async () => {
  await start()
  await stack!.stop()
  stack = undefined
  const { historical_states } = JSON.parse(readFileSync(file, 'utf8')) as Record<string, unknown>
  expect(historical_states).toBeNull()
})
