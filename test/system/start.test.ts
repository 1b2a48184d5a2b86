import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest'
import { groupMembers, type ProcessIdentity } from '../../origin/stack/process-table.ts'
import { trustCa } from '../../origin/stack/trust-ca.ts'
import { until } from './owner.ts'
import { anyPorts } from './stack.ts'

const entry = fileURLToPath(new URL('../../origin/stack/start.ts', import.meta.url))
const stateDir = mkdtempSync(join(tmpdir(), 'svc-start-'))
const running: ChildProcess[] = []

type Start = { process: ChildProcess; output: () => string; exit: Promise<number | null> }

function start(settings: Record<string, string> = anyPorts): Start {
  const child = spawn(process.execPath, ['--disable-sigusr1', entry], {
    env: { ...process.env, SVC_STATE_DIR: stateDir, ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => (output += text))
  running.push(child)
  const exit = new Promise<number | null>((resolve) => child.once('exit', (code) => resolve(code)))
  return { process: child, output: () => output, exit }
}

async function ready(started: Start): Promise<{ baseUrl: string; chain: string; ca: string }> {
  const find = (pattern: RegExp) => pattern.exec(started.output())?.[1]
  await until(60, 'the stack is ready', async () => find(/^(ready) in/m))
  const ca = find(/--cacert (\S+)/)!
  trustCa(ca)
  return { baseUrl: find(/base_url +(\S+)/)!, chain: find(/chain +(http\S+)/)!, ca }
}

function portsOf(started: Start): Record<string, string> {
  const port = (name: string) =>
    new RegExp(`${name} +https?://localhost:(\\d+)`).exec(started.output())?.[1] ?? ''
  return {
    SVC_ORIGIN_PORT: port('base_url'),
    SVC_EDGE_PORT: port('triggers_url'),
    SVC_CHAIN_PORT: port('chain'),
  }
}

function children(): number[] {
  const record = JSON.parse(readFileSync(join(stateDir, 'stack.json'), 'utf8')) as {
    children: { leader: ProcessIdentity }[]
  }
  return record.children.flatMap(({ leader }) => groupMembers(leader))
}

async function newAccount(baseUrl: string): Promise<string> {
  const response = await fetch(`${baseUrl}/core/v1/new_account`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{"account_name":"a","account_description":""}',
  })
  return ((await response.json()) as { api_key: string }).api_key
}

async function exists(baseUrl: string, key: string): Promise<unknown> {
  const response = await fetch(`${baseUrl}/core/v1/account_exists`, {
    headers: { 'x-api-key': key },
  })
  return response.json()
}

afterEach(async () => {
  for (const child of running.splice(0)) {
    if (child.exitCode !== null || child.signalCode !== null) continue
    child.kill('SIGTERM')
    await new Promise((resolve) => child.once('exit', resolve))
  }
})
afterAll(() => rmSync(stateDir, { recursive: true, force: true }))

describe('npm start', () => {
  it('keeps accounts after Ctrl-C, and after SIGKILL, where the next start ends leftover processes', async () => {
    const first = start()
    const before = await ready(first)
    const key = await newAccount(before.baseUrl)
    first.process.kill('SIGINT')
    first.process.kill('SIGINT') // npm forwards a signal that the terminal has already sent to both processes.
    expect(await first.exit).toBe(0)
    expect(children()).toEqual([])

    // Uses fixed ports from here on, so that a leftover process would block the next start.
    const ports = portsOf(first)
    const second = start(ports)
    const kept = await ready(second)
    expect(await exists(kept.baseUrl, key)).toBe(true)
    const since = Date.now()
    const written = () =>
      statSync(join(stateDir, 'chain', 'state.json')).mtimeMs > since || undefined
    await until(20, 'the chain writes its state', async () => written())
    const left = children()
    second.process.kill('SIGKILL')
    await second.exit
    expect(left.length).toBeGreaterThan(3)

    const third = start(ports)
    const again = await ready(third)
    expect(await exists(again.baseUrl, key)).toBe(true)
    expect(children().filter((pid) => left.includes(pid))).toEqual([])
  })

  it('rejects a folder that another stack uses, and leaves that stack running', async () => {
    const first = start()
    const { baseUrl } = await ready(first)
    const second = start()
    expect(await second.exit).toBe(1)
    expect(second.output()).toMatch(
      /^svc: .*is in use by another stack \(pid \d+\).*SVC_STATE_DIR.*\n$/,
    )
    expect((await fetch(`${baseUrl}/health`)).status).toBe(200)
  })

  it('exits at once if the chain dies while the origin starts', async () => {
    const started = start()
    const origin = /"name": "origin"/
    const record = join(stateDir, 'stack.json')
    await until(60, 'the origin starts', async () =>
      existsSync(record) && origin.test(readFileSync(record, 'utf8')) ? true : undefined,
    )
    const { children: listed } = JSON.parse(readFileSync(record, 'utf8')) as {
      children: { name: string; leader: ProcessIdentity }[]
    }
    process.kill(listed.find(({ name }) => name === 'chain')!.leader.pid, 'SIGKILL')
    expect(await started.exit).toBe(1)
    expect(started.output()).toMatch(/^svc: (chain was terminated by SIGKILL|origin .*)$/m)
    expect(children()).toEqual([])
  })

  it('exits with one clear line and an exit code if a child dies', async () => {
    const started = start()
    await ready(started)
    const [pid] = children()
    process.kill(pid!, 'SIGKILL')
    expect(await started.exit).toBe(1)
    expect(started.output().match(/^svc: .*$/gm)).toEqual([
      expect.stringMatching(/^svc: (edge|chain|database|origin) was terminated by SIGKILL$/),
    ])
    expect(children()).toEqual([])
  })
})

describe('a port in use', () => {
  let server: Server
  beforeEach(
    () =>
      new Promise<void>((listening) => {
        server = createServer().listen(0, '127.0.0.1', listening)
      }),
  )
  afterEach(
    () =>
      new Promise<void>((closed) => {
        server.close(() => closed())
      }),
  )

  it('is reported in one clear line that names the setting', async () => {
    const address = server.address()
    const port = typeof address === 'object' && address ? address.port : 0
    const started = start({ ...anyPorts, SVC_ORIGIN_PORT: String(port) })
    expect(await started.exit).toBe(1)
    expect(started.output()).toBe(
      `svc: port ${port} is in use; stop the process that listens there, or set SVC_ORIGIN_PORT\n`,
    )
  })
})
