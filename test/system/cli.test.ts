/**
 * Runs every example of every command's help, in order, against one stack started by `svc up`. Commands that need a
 * shell or their own process use the real binary. All others run in this process, which avoids loading the modules 60
 * times.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { GOOD_TOKEN, startTriggerApi, type TriggerApi } from '../doubles/trigger-api.ts'
import { approve } from '../../origin/stack/approved-token.ts'
import { localStackOf } from '../../shared/cli/local-stack.ts'
import type { Wallet } from '../../shared/client/index.ts'
import { SEND_TRANSACTION_CID } from '../../shared/wire/send-transaction-action.ts'
import { svc } from '../shared/cli/command-line.ts'
import { type Example, examplesOf } from '../shared/cli/examples.ts'
import { PAYROLL, transaction } from '../shared/policies/requests.ts'
import { useEveryTool } from './mcp-tools.ts'
import { until } from './owner.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const main = join(root, 'shared/cli/main.ts')
const folder = mkdtempSync(join(tmpdir(), 'svc-cli-'))

type Ran = { code: number | null; out: string; err: string }
type Running = { child: ChildProcess; out: () => string; err: () => string; ended: Promise<Ran> }

/** Runs a command line in bash, in a folder with two action files. */
function type(line: string, variables: Record<string, string> = {}): Running {
  const child = spawn('bash', ['-c', line], {
    cwd: folder,
    env: {
      PATH: [join(folder, 'bin'), process.env['PATH']].join(delimiter),
      HOME: folder,
      SVC_STATE_DIR: 'stack',
      ...variables,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let out = ''
  let err = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => (out += text))
  child.stderr.setEncoding('utf8').on('data', (text: string) => (err += text))
  const ended = new Promise<Ran>((resolve) =>
    child.once('close', (code) => resolve({ code, out, err })),
  )
  return { child, out: () => out, err: () => err, ended }
}

/** Without usage keys, because `svc run` uses the newest stored key. */
const PROJECT = {
  version: 1,
  name: 'greetings',
  actions: { greet: 'action.js' },
  wallets: { treasury: { policy: 'policy.json' } },
  groups: { greeters: { actions: ['greet'], wallets: ['treasury'] } },
  environments: { staging: {} },
}

const SHOP = {
  version: 1,
  name: 'shop',
  actions: { confirm: 'confirm.js' },
  groups: { confirming: { actions: ['confirm'], wallets: [] } },
  keys: { runner: { execute_in_groups: ['confirming'] } },
  triggers: { orders: { kind: 'webhook', action: 'confirm', key: 'runner' } },
}

const environment = { HOME: folder, SVC_STATE_DIR: 'stack' }

/**
 * @returns the arguments of an `svc` command that needs no shell features except quotes; undefined for any other line
 */
function wordsOf(line: string): string[] | undefined {
  if (!line.startsWith('svc ') || /[|&;<>`$\\]/.test(line)) return undefined
  return [...line.matchAll(/'([^']*)'|"([^"]*)"|(\S+)/g)]
    .map(([, a, b, c]) => a ?? b ?? c!)
    .slice(1)
}

async function typed(line: string, variables: Record<string, string> = {}): Promise<Ran> {
  const named = line.replace(/\$(\w+)/g, (_, name: string) => variables[name] ?? '')
  const isOwnProcess = line === 'svc mcp' || line.startsWith('svc test')
  const words = isOwnProcess ? undefined : wordsOf(named)
  const around = { environment: { ...environment, ...variables }, folder }
  return words ? svc(words, around) : type(line, variables).ended
}

const stack = { baseUrl: '', triggersUrl: '' }
const at = (line: string) =>
  line
    .replace('https://localhost:8788', stack.baseUrl)
    .replace('http://localhost:8787', stack.triggersUrl)

let up: Running
let examples: Example[]
let deployment: TriggerApi
beforeAll(async () => {
  deployment = await startTriggerApi()
  await deployment.deliver('greeter', { name: 'Ada' })
  mkdirSync(join(folder, 'bin'))
  writeFileSync(
    join(folder, 'bin', 'svc'),
    `#!/bin/sh\nexec "${process.execPath}" "${main}" "$@"\n`,
  )
  chmodSync(join(folder, 'bin', 'svc'), 0o755)
  writeFileSync(
    join(folder, 'action.js'),
    `async function main({ message, event, greeting }) {
  console.log('greeting')
  return { greeting: (greeting ?? 'hello') + ' ' + (event?.name ?? message ?? 'you') }
}`,
  )
  writeFileSync(join(folder, 'action.ts'), 'export const main = (params: object) => params')
  writeFileSync(join(folder, 'policy.json'), JSON.stringify(PAYROLL))
  writeFileSync(join(folder, 'svc.json'), JSON.stringify(PROJECT))
  writeFileSync(join(folder, 'new.json'), JSON.stringify({ ...PAYROLL, change_delay_s: 60 }))
  writeFileSync(join(folder, 'request.json'), JSON.stringify(transaction()))
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
  mkdirSync(join(folder, 'test'))
  writeFileSync(
    join(folder, 'test/action.test.ts'),
    `import { expect, it } from 'vitest'
    import { runAction } from '${join(root, 'origin/testing/index.ts')}'
    it('greets', { timeout: 60_000 }, async () => {
      const run = await runAction('action.js', { params: { message: 'you' } })
      expect(run).toRespondWith({ greeting: 'hello you' })
    })`,
  )
  writeFileSync(join(folder, 'other.js'), 'async function main() { throw new Error("no") }')
  examples = await examplesOf()
  up = type(`exec ${examples.find(({ path }) => path === 'svc up')!.line}`)
  await until(60, 'the stack is ready', async () => /^ready in/m.exec(up.out()) ?? undefined)
  stack.baseUrl = /base_url +(\S+)/.exec(up.out())![1]!
  stack.triggersUrl = /triggers_url +(\S+)/.exec(up.out())![1]!
}, 90_000)
afterAll(async () => {
  up.child.kill('SIGTERM')
  await up.ended
  await deployment.close()
  rmSync(folder, { recursive: true, force: true })
})

/** Completes a login as a user would: opens the URL that `svc login` prints, then types the code. */
async function login(line: string): Promise<Ran> {
  const running = type(line)
  const said = async (name: string) =>
    until(
      30,
      `svc login says "${name}"`,
      async () => new RegExp(`^${name} +(\\S+)`, 'm').exec(running.err())?.[1],
    )
  await approve(await said('Open'), 'cli@example.com', await said('Type the code'))
  return running.ended
}

const credentials = () =>
  JSON.parse(readFileSync(join(folder, '.config/svc/credentials.json'), 'utf8'))

/** Supplies files and variables that an example needs and no earlier example created. */
async function prepared({ path, line }: Example): Promise<Record<string, string>> {
  if (path === 'svc account use')
    writeFileSync(join(folder, 'account.key'), credentials().origins[stack.baseUrl].account_key)
  if (path === 'svc alerts thresholds')
    await typed('svc trigger create action.js --name orders --webhook')
  if (path === 'svc alerts channel add-trigger')
    await typed('svc trigger create action.js --name on-call --webhook')
  // The trigger and its event are in another deployment.
  if (path === 'svc listen' || path === 'svc logs')
    return { SVC_TRIGGERS_URL: deployment.url, SVC_TOKEN: GOOD_TOKEN }
  if (path === 'svc tx speed-up' || path === 'svc tx cancel')
    return { TRANSACTION: await openTransaction() }
  if (line.includes('$TRANSACTION')) {
    const listed = JSON.parse((await typed('svc tx list --json')).out) as { id: string }[]
    return { TRANSACTION: listed[0]!.id }
  }
  if (!line.includes('$WALLET')) return {}
  const WALLET = await walletOf(/^svc (?:wallet policy|verify wallet)/.test(path))
  if (path === 'svc tx send') await fund(WALLET)
  return { WALLET }
}

async function walletOf(mustHavePolicy: boolean): Promise<string> {
  const wallets = JSON.parse((await typed('svc wallet list --json')).out) as Wallet[]
  const found = wallets.find(({ policy_hash }) => Boolean(policy_hash) === mustHavePolicy)
  return found!.wallet_address
}

/** Sends a transaction that no block includes until its ceiling is raised. */
async function openTransaction(): Promise<string> {
  const wallet = await walletOf(false)
  const words = `--wallet ${wallet} --chain ethereum --to ${wallet} --max-fee 1wei`
  const { out } = await typed(`svc tx send ${words} --json`)
  return (JSON.parse(out) as { id: string }).id
}

/** Gives the wallet coins on the stack's chain. */
async function fund(wallet: string): Promise<void> {
  const { rpcUrl } = localStackOf(folder, environment)!
  const params = [wallet, '0xde0b6b3a7640000']
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'anvil_setBalance', params })
  const headers = { 'content-type': 'application/json' }
  expect((await fetch(rpcUrl, { method: 'POST', headers, body })).ok).toBe(true)
}

/** Exit code 3 means SIMULATED, which is the expected verdict of a local stack. */
const expectedCode = ({ path }: Example) => (path.startsWith('svc verify') ? 3 : 0)

describe('the examples of the help', () => {
  it('run in order as printed', async () => {
    for (const example of examples) {
      const { path, line } = example
      if (path === 'svc up') continue
      const ran =
        path === 'svc login' ? await login(line) : await typed(at(line), await prepared(example))
      expect(ran, `${line}\n${ran.out}${ran.err}`).toMatchObject({ code: expectedCode(example) })
      if (line.endsWith(' --json')) expect(() => JSON.parse(ran.out), line).not.toThrow()
      // Keys are stored in the credentials file and never printed.
      for (const key of keysIn(credentialsIfAny()))
        expect(ran.out + ran.err, line).not.toContain(key)
    }
  })
})

function credentialsIfAny(): string {
  try {
    return JSON.stringify(credentials())
  } catch {
    return ''
  }
}

function keysIn(text: string): string[] {
  return [...text.matchAll(/"(?:account_key|key|token)":"([^"]+)"/g)].map(([, key]) => key!)
}

describe('svc run', () => {
  it('prints the response to stdout and the logs to stderr, and exits with 1 on failure', async () => {
    const ran = await type('svc run action.js --params message=you').ended
    expect(ran.out).toBe('{\n  "greeting": "hello you"\n}\n')
    expect(ran.err).toBe('greeting\n')
    await typed('svc group add-action 1 other.js')
    const failed = await type('svc run other.js').ended
    expect(failed).toMatchObject({ code: 1, out: '' })
    expect(failed.err).toContain('svc: Error: no')
  })

  it('--watch reruns on changes and after a failure, and exits with 130 on Ctrl-C', async () => {
    writeFileSync(join(folder, 'watched.js'), 'async function main() { return 1 }')
    await typed('svc group add-action 1 watched.js')
    const running = type('exec svc run watched.js --watch')
    const says = (what: string) =>
      until(30, what, async () => (running.out() + running.err()).includes(what) || undefined)
    await says('1\n')
    // Changed source has a new CID, which the key is not permitted to run yet.
    writeFileSync(join(folder, 'watched.js'), 'async function main() { return 2 }')
    await says('svc: ')
    await typed('svc group add-action 1 watched.js')
    writeFileSync(join(folder, 'watched.js'), 'async function main() { return 1 }')
    await until(30, 'the third run', async () => /1\n[^]*1\n/.exec(running.out()) ?? undefined)
    running.child.kill('SIGINT')
    expect(await running.ended).toMatchObject({ code: 130 })
  })
})

describe('svc dev in a project', () => {
  it('replays events with the trigger of the same name, and deploys again after a change', async () => {
    expect((await login('svc login')).code).toBe(0)
    mkdirSync(join(folder, 'shop'))
    const confirm = (text: string) =>
      writeFileSync(
        join(folder, 'shop/confirm.js'),
        `async function main({ event }) { return '${text} ' + event.name }`,
      )
    confirm('first')
    writeFileSync(join(folder, 'shop/svc.json'), JSON.stringify(SHOP))
    await deployment.deliver('shop/orders', { name: 'Ada' })
    const running = type('exec svc dev shop/svc.json --listen shop/orders --last 1', {
      SVC_TRIGGERS_URL: deployment.url,
      SVC_TOKEN: GOOD_TOKEN,
    })
    const says = (what: RegExp) =>
      until(60, `${what}`, async () => (what.test(running.out()) ? true : undefined))
    await says(/^ {2}local +success +"first Ada"$/m)
    confirm('second')
    await says(/^~ trigger shop\/orders$/m)
    running.child.kill('SIGINT')
    expect(await running.ended).toMatchObject({ code: 130 })
  })
})

describe('svc trigger create --usage-key-of', () => {
  it('creates a trigger whose runs the origin accepts with the key of another trigger', async () => {
    const json = async (line: string) => {
      const ran = await typed(`${line} --json`)
      expect(ran, line + ran.out + ran.err).toMatchObject({ code: 0 })
      return JSON.parse(ran.out)
    }
    await json('svc key create --name shared --execute-in 1')
    await json('svc group add-action 1 action.js')
    await json('svc trigger create action.js --name first --webhook --key-name shared')
    await json('svc trigger create action.js --name second --webhook --usage-key-of first')
    const run = await json(`svc trigger fire second --body '{"name":"Ada"}'`)
    expect(run).toMatchObject({ status: 'success' })
  })
})

describe('svc trigger replay-failed', () => {
  it('starts one bulk replay, however often it is run with the same key', async () => {
    const json = async (line: string) => {
      const ran = await typed(`${line} --json`)
      expect(ran, line).toMatchObject({ code: 0 })
      return JSON.parse(ran.out)
    }
    await json('svc trigger create action.js --name repeated --webhook')
    const { run_id } = await json(`svc trigger fire repeated --body '{}' --no-wait`)
    const replay = `svc trigger replay-failed ${run_id} --include-replayed --yes --no-wait --idempotency-key`
    const { id } = await json(`${replay} one`)
    expect((await json(`${replay} one`)).id).toBe(id)
    expect((await json(`${replay} two`)).id).not.toBe(id)
  })
})

describe('a read-only login', () => {
  it('lists triggers, and exits with 4 if it attempts a change', async () => {
    expect((await login('svc login --read-only')).code).toBe(0)
    expect((await typed('svc trigger list --json')).code).toBe(0)
    const created = await typed('svc trigger create action.js --name x --webhook --json')
    expect(JSON.parse(created.err)).toMatchObject({ error: 'insufficient_scope', status: 403 })
    expect(created.code).toBe(4)
  })
})

describe('svc mcp', () => {
  it('requests access from a person, and all of its tools work', async () => {
    await typed('svc key create --name mcp --execute-in 1 --create-wallets')
    await typed(`svc group add-action 1 ${SEND_TRANSACTION_CID}`)
    const wallet = await walletOf(false)
    await useEveryTool({
      command: [process.execPath, main, 'mcp'],
      folder,
      environment: {
        SVC_STATE_DIR: 'stack',
        SVC_CONFIG_DIR: join(folder, 'of-mcp'),
        SVC_USAGE_KEY: credentials().origins[stack.baseUrl].usage_keys.at(-1).key,
        SVC_API_KEY: credentials().origins[stack.baseUrl].account_key,
      },
      triggersUrl: stack.triggersUrl,
      wallet,
      approve: (url, userCode) => approve(url, 'mcp@example.com', userCode),
      email: 'mcp@example.com',
    })
  })
})

describe('the process', () => {
  it('exits silently if the reader of its output has closed the pipe', async () => {
    const ran = await type('svc --help | head -1; exit ${PIPESTATUS[0]}').ended
    expect(ran).toMatchObject({ code: 0, err: '' })
  })

  it('exits with 130 if it is interrupted while reading stdin', async () => {
    const child = spawn(join(folder, 'bin', 'svc'), ['cid', '-'], {
      stdio: ['pipe', 'pipe', 'pipe'],
    })
    const ended = new Promise((resolve) => child.once('exit', resolve))
    // More than a pipe buffers: once the write completes, the command is reading.
    await new Promise((taken) => child.stdin.write(Buffer.alloc(1024 * 1024), taken))
    child.kill('SIGINT')
    expect(await ended).toBe(130)
  })

  it('rejects reading stdin twice, without waiting for it', async () => {
    const words = 'run action.js --params-file - --usage-key-file - --base-url http://localhost:9'
    const ran = await type(`echo '{}' | svc ${words}`).ended
    expect(ran).toMatchObject({ code: 2, out: '', err: expect.stringContaining('used twice') })
  })

  it('does not load zod, the client or a chain library for its help', async () => {
    const script = `import { registerHooks } from 'node:module'
      const loaded = []
      registerHooks({ load: (url, context, next) => (loaded.push(url), next(url, context)) })
      process.argv = ['node', 'svc', '--help']
      process.stdout.write = () => true
      await import(${JSON.stringify(main)})
      console.error(JSON.stringify(loaded))`
    writeFileSync(join(folder, 'loaded.mjs'), script)
    const { err } = await type(`exec "${process.execPath}" loaded.mjs`).ended
    const loaded = JSON.parse(err) as string[]
    expect(
      loaded.filter((url) =>
        /node_modules\/(zod|ethers|undici|multiformats)|client\/client\.ts/.test(url),
      ),
    ).toEqual([])
    expect(loaded.some((url) => url.endsWith('/shared/cli/program.ts'))).toBe(true)
  })
})

it('svc up exits with the exit code of the stack on Ctrl-C', async () => {
  up.child.kill('SIGINT')
  expect(await up.ended).toMatchObject({ code: 0 })
})

it('svc dev starts the stack if none is running, and stops it at the end', async () => {
  const ports = { SVC_EDGE_PORT: '0', SVC_ORIGIN_PORT: '0', SVC_CHAIN_PORT: '0' }
  const line = 'exec svc dev action.js --params message=again --once'
  const ran = await type(line, ports).ended
  expect(ran, ran.err).toMatchObject({ code: 0, out: '{\n  "greeting": "hello again"\n}\n' })
  expect(ran.err).toContain('Starting the local stack')
  expect(localStackOf(folder, environment)).toBeUndefined()
})

it('every command has an example', async () => {
  const without = (await examplesOf({ withEmpty: true })).filter(({ line }) => line === '')
  expect(without).toEqual([])
  expect((await svc(['no-command'])).code).toBe(2)
})
