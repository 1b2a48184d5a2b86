/**
 * Runs the previous version and this one on the same state, in turn: an upgrade, a rollback, and the upgrade again.
 * `SVC_PREVIOUS` names the commit of the previous version; by default, it is the last tag of a release.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, expect, it } from 'vitest'
import { trustCa } from '../../origin/stack/trust-ca.ts'
import { freePort } from '../../origin/stack/ports.ts'
import { newOwner, type Owner, until } from '../system/owner.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

/**
 * Part of the contract's current storage layout. This version cannot open a state folder of a commit without it
 * (docs/decisions/0103).
 */
const STORAGE_LAYOUT_SOURCE = 'origin/contracts/IdSet.sol'

const folder = mkdtempSync(join(tmpdir(), 'svc-previous-'))
const stateDir = join(folder, 'state')
let running: ChildProcess | undefined

afterAll(async () => {
  await stop()
  rmSync(folder, { recursive: true, force: true })
}, 120_000)

function git(...args: string[]): string {
  return execFileSync('git', args, { cwd: root, encoding: 'utf8', stdio: 'pipe' }).trim()
}

/** Returns the first commit whose state folder this version can open, for as long as there is no release. */
const firstCompatible = () =>
  git('log', '--diff-filter=A', '--format=%H', '--', STORAGE_LAYOUT_SOURCE).split('\n').at(-1)

/** Checks out the previous version, with its own dependencies if they differ. */
function checkOut(): string {
  const last = git('tag', '--list', 'v*', '--sort=-creatordate', '--merged').split('\n')[0]
  const commit = process.env['SVC_PREVIOUS'] ?? (last || firstCompatible())
  const previous = join(folder, 'previous')
  git('clone', '--quiet', '--shared', '--no-checkout', root, previous)
  git('-C', previous, 'checkout', '--quiet', '--detach', git('rev-parse', `${commit}^{commit}`))
  const lock = (checkout: string) => readFileSync(join(checkout, 'package-lock.json'), 'utf8')
  if (lock(previous) === lock(root))
    execFileSync('cp', ['-al', join(root, 'node_modules'), join(previous, 'node_modules')])
  else execFileSync('npm', ['ci'], { cwd: previous, stdio: 'pipe' })
  execFileSync('npm', ['run', '-s', 'sandbox-bundles'], { cwd: previous, stdio: 'pipe' })
  return previous
}

type Urls = { baseUrl: string; triggersUrl: string }

/** Starts the stack of a checkout on the shared state, and waits until it is ready. */
async function start(checkout: string, ports: Record<string, string>): Promise<Urls> {
  const entry = join(checkout, 'origin/stack/start.ts')
  const child = spawn(process.execPath, ['--disable-sigusr1', entry], {
    cwd: checkout,
    env: { ...process.env, SVC_STATE_DIR: stateDir, ...ports },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  running = child
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => (output += text))
  const found = (pattern: RegExp) => pattern.exec(output)?.[1]
  const ended = () => (child.exitCode === null ? undefined : 'exited')
  const state = await until(240, 'the stack is ready', async () => found(/^(ready) in/m) ?? ended())
  expect(state, output.slice(-2_000)).toBe('ready')
  trustCa(found(/--cacert (\S+)/)!)
  return { baseUrl: found(/base_url +(\S+)/)!, triggersUrl: found(/triggers_url +(\S+)/)! }
}

async function stop(): Promise<void> {
  const child = running
  running = undefined
  if (!child || child.exitCode !== null) return
  const exited = new Promise((resolve) => child.once('exit', resolve))
  child.kill('SIGTERM')
  await exited
}

const ECHO = `async function main({ event }) { return { echo: event.n } }`

/** Uses the parts of the core API that store something: accounts, wallets, groups, keys, caps and charges. */
async function useEverything(owner: Owner): Promise<void> {
  const { wallet_address } = await owner.core('create_wallet', {})
  expect(wallet_address).toMatch(/^0x/)
  const { group_id } = await owner.core('add_group', { group_name: 'another' })
  const limits = { spend_cap_cents: 50, spend_window_seconds: 3_600 }
  const key = { name: 'capped', execute_in_groups: [group_id], ...limits }
  expect((await owner.core('add_usage_api_key', key)).usage_api_key).toBeTypeOf('string')
  const code = 'async function main({ n }) { return n + 1 }'
  const ran = await owner.core('svc_action', { code, js_params: { n: 41 } })
  expect(JSON.stringify(ran)).toContain('42')
}

async function useTrigger(owner: Owner, trigger: { id: string; webhook_url: string }, n: number) {
  const before = (await owner.runs(trigger.id)).length
  await owner.fire(trigger.webhook_url, { n })
  const runs = await owner.allEnded(trigger.id, 60)
  expect(runs).toHaveLength(before + 1)
  expect(runs.every(({ status }) => status === 'success')).toBe(true)
  return runs.map(({ id }) => id)
}

it('this version works on the data of the previous one, and the previous one on what this one changed', async () => {
  const previous = checkOut()
  const ports = {
    SVC_EDGE_PORT: String(await freePort()),
    SVC_ORIGIN_PORT: String(await freePort()),
    SVC_CHAIN_PORT: String(await freePort()),
  }

  const urls = await start(previous, ports)
  const owner = await newOwner(urls)
  await useEverything(owner)
  const trigger = await owner.createTrigger(ECHO)
  const ofPrevious = await useTrigger(owner, trigger, 1)
  await stop()

  // The upgrade: the same keys, tokens, triggers and runs, on the migrated databases.
  expect(await start(root, ports)).toEqual(urls)
  await useEverything(owner)
  const upgraded = await useTrigger(owner, trigger, 2)
  expect(upgraded).toEqual(expect.arrayContaining(ofPrevious))
  const newer = await newOwner(urls)
  const newTrigger = await newer.createTrigger(ECHO)
  await useTrigger(newer, newTrigger, 1)
  await stop()

  // The rollback: the previous code on the new schema, and on rows that this version wrote.
  expect(await start(previous, ports)).toEqual(urls)
  await useEverything(owner)
  expect(await useTrigger(owner, trigger, 3)).toEqual(expect.arrayContaining(upgraded))
  await useEverything(newer)
  await useTrigger(newer, newTrigger, 2)
  await stop()

  await start(root, ports)
  expect(await useTrigger(owner, trigger, 4)).toHaveLength(4)
  await useEverything(newer)
}, 1_200_000)
