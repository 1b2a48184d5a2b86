/**
 * Origin processes in a multi-process deployment: one Postgres, one chain and one root key, each with its own HTTPS
 * server.
 */
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { openDatabase } from '../../origin/db/open.ts'
import { addressFromPrivateKey, Keyring } from '../../origin/keys/keyring.ts'
import { loadRootKey, ROOT_KEY_FILE } from '../../origin/keys/root-key-file.ts'
import { nodeBundles } from '../../origin/stack/bundles.ts'
import { LOCAL_FINALITY } from '../../origin/stack/chain.ts'
import { Child, STOP_MS } from '../../origin/stack/child.ts'
import { inheritedEnvironment } from '../../origin/stack/child-environment.ts'
import { trustCa } from '../../origin/stack/trust-ca.ts'
import { loadTls } from '../../origin/tls.ts'
import { SEALED_CONTENT_TYPE } from '../../shared/envelope/format.ts'
import { startContract } from '../origin/accounts/contract.ts'
import { emptyDatabase } from '../origin/db/fresh-database.ts'
import { ORIGIN_ENTRY, templateSetting } from './stack.ts'

/** Wallets that pay for writes, plus one that funds them. Enough that each kill loses some and leaves others. */
export const PAYERS = 8

/** Pre-shared key of the channel between the edge and the origins. */
export const CHANNEL_PSK = Buffer.alloc(32, 1)

const PRODUCTION_ENTRY = fileURLToPath(new URL('../../origin/main.ts', import.meta.url))

type Call = { key?: string; body?: object; idempotencyKey?: string }
/** `sentAt` and `answeredAt` are `performance.now()` of this process. */
export type Answer = {
  status: number
  body: any
  replayed: boolean
  sentAt: number
  answeredAt: number
}

export type Origins = Awaited<ReturnType<typeof startOrigins>>

/** One origin process, which can be restarted after it stops. */
export class OriginProcess {
  readonly name: string
  readonly stateDir: string
  readonly #settings: Record<string, string>
  readonly #onLine: (line: string) => void
  readonly #runsSources: boolean
  #child: Child | undefined
  #url = ''

  constructor(
    name: string,
    stateDir: string,
    settings: Record<string, string>,
    onLine: (line: string) => void,
    runsSources = false,
  ) {
    this.name = name
    this.stateDir = stateDir
    this.#settings = settings
    this.#onLine = onLine
    this.#runsSources = runsSources
  }

  get url(): string {
    return this.#url
  }

  async start(): Promise<void> {
    const script = this.#runsSources ? PRODUCTION_ENTRY : (await nodeBundles([ORIGIN_ENTRY]))[0]!
    const child = new Child({
      name: this.name,
      command: process.execPath,
      args: ['--disable-warning=ExperimentalWarning', '--disable-sigusr1', script],
      env: {
        ...inheritedEnvironment(),
        ...templateSetting(),
        ...this.#settings,
        SVC_STATE_DIR: this.stateDir,
      },
      ipc: true,
      stopSignal: 'SIGTERM',
      stopMs: Number(this.#settings['SVC_DRAIN_MS'] ?? 0) + STOP_MS,
      onLine: this.#onLine,
      started: () => {},
    })
    this.#child = child
    const { port } = await child.waitForReady<{ port: number }>()
    this.#url = `https://localhost:${port}`
  }

  /** Stops gracefully, as in a deployment. @returns how the process ended, such as "exited with code 0" */
  async stop(): Promise<string | undefined> {
    return this.#child?.stop()
  }

  /** Kills the process and its executors at once, as in a crash. */
  async kill(): Promise<void> {
    await this.#child?.kill()
  }

  /** Suspends the process until `resume`, as in a long pause of its machine. */
  pause(): void {
    this.signal('SIGSTOP')
  }

  resume(): void {
    this.signal('SIGCONT')
  }

  /** Signals the whole process group. Does nothing if the process has exited. */
  signal(signal: NodeJS.Signals): void {
    // A pid of 0 would signal the group of this process.
    if (!this.#child?.pid) return
    try {
      process.kill(-this.#child.pid, signal)
    } catch {
      // The group is empty.
    }
  }

  /** Sends a request to the core API, as POST if it has a body. @throws if the connection breaks */
  async call(path: string, { key, body, idempotencyKey }: Call = {}): Promise<Answer> {
    const sentAt = performance.now()
    const response = await fetch(`${this.#url}/core/v1/${path}`, {
      method: body ? 'POST' : 'GET',
      headers: {
        'content-type': 'application/json',
        ...(key && { 'x-api-key': key }),
        ...(idempotencyKey && { 'idempotency-key': idempotencyKey }),
      },
      ...(body && { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    return {
      status: response.status,
      body: text.startsWith('<') ? text : JSON.parse(text),
      replayed: response.headers.has('idempotent-replayed'),
      sentAt,
      answeredAt: performance.now(),
    }
  }

  /** Sends a sealed request. @returns the bytes of the response, including padding */
  async sealed(path: string, body: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>> {
    const headers = { 'content-type': SEALED_CONTENT_TYPE }
    const response = await fetch(`${this.#url}${path}`, { method: 'POST', headers, body })
    return new Uint8Array(await response.arrayBuffer())
  }

  async evidence(name: string): Promise<string> {
    return (await fetch(`${this.#url}/evidences/${name}`)).text()
  }

  /** Sends a request. @throws {Error} with the response unless the status is 200 */
  async ok(path: string, call: Call = {}): Promise<any> {
    const { status, body } = await this.call(path, call)
    if (status === 200) return body
    throw new Error(`${this.name} ${path}: ${status} ${JSON.stringify(body).slice(0, 500)}`)
  }
}

type OriginsOptions = {
  /** Number of processes that run the sources, as in production, instead of a bundle. */
  fromSources?: number
  settings?: Record<string, string> | ((stateDir: string) => Record<string, string>)
  /** Called for each machine to provide its root key. By default, the machines share a file. */
  rootKey?: () => Promise<Uint8Array>
}

/** Starts the processes together, on an empty database. `close` stops everything, including paused processes. */
export async function startOrigins(
  count: number,
  { fromSources = 0, settings = {}, rootKey }: OriginsOptions = {},
) {
  const folder = mkdtempSync(join(tmpdir(), 'svc-origins-'))
  const lines: string[] = []
  const origins: OriginProcess[] = []
  const closers: (() => unknown)[] = [() => rmSync(folder, { recursive: true, force: true })]
  const onExit = () => origins.forEach((origin) => origin.signal('SIGKILL'))
  process.once('exit', onExit)
  const close = async () => {
    await Promise.all(origins.map((origin) => origin.kill()))
    process.off('exit', onExit)
    for (const end of closers.splice(0).toReversed()) await end()
  }
  try {
    const seed = join(folder, 'seed')
    const { caFile } = await seedState(seed, await rootKey?.())
    const keyring = new Keyring(loadRootKey(seed, 'local'))
    const postgres = await emptyDatabase()
    closers.push(() => postgres.drop())
    const payers = Array.from({ length: PAYERS + 1 }, (_, n) =>
      addressFromPrivateKey(keyring.payerKey(n)),
    )
    const contract = await startContract(...payers)
    closers.push(() => contract.close())
    const add = async (): Promise<OriginProcess> => {
      const n = origins.length
      const stateDir = join(folder, `origin-${n}`)
      cpSync(seed, stateDir, { recursive: true })
      if (rootKey && n > 0) writeRootKey(stateDir, await rootKey())
      const name = String.fromCharCode(97 + n)
      const environment = {
        SVC_ENV: 'local',
        SVC_TEE: 'simulated',
        SVC_ORIGIN_PORT: '0',
        SVC_PUBLIC_URL: 'https://localhost',
        SVC_CHAIN_RPC: contract.rpcUrl,
        SVC_CONTRACT_ADDRESS: contract.chain.contractAddress,
        SVC_CONTRACT_BLOCK: String(contract.chain.contractBlock),
        SVC_CHAIN_FINALITY: String(LOCAL_FINALITY),
        SVC_CHANNEL_PSK: CHANNEL_PSK.toString('base64url'),
        SVC_PAYERS: String(PAYERS),
        SVC_EXECUTORS_MIN: '1',
        SVC_EXECUTORS_MAX: '2',
        SVC_STARTER_CREDITS_CENTS: '100000',
        SVC_NEW_ACCOUNT_BURST: '1000',
        // Disables load shedding: these tests are about agreement between processes, on a possibly busy machine.
        SVC_SHED_DELAY_MS: '60000',
        SVC_SHED_CPU_PRESSURE: '100',
        DATABASE_URL: postgres.url,
        ...(typeof settings === 'function' ? settings(stateDir) : settings),
      }
      const onLine = (line: string) => lines.push(`${name} | ${line}`)
      const added = new OriginProcess(name, stateDir, environment, onLine, n < fromSources)
      origins.push(added)
      return added
    }
    while (origins.length < count) await add()
    trustCa(caFile)
    await Promise.all(origins.map((origin) => origin.start()))
    // Opened last, because the origins must find the database empty.
    const database = await openDatabase({ url: postgres.url })
    closers.push(() => database.close())
    const channelKey = keyring.channelKey(1).publicKey
    return {
      origins,
      /** Adds a process, which the caller starts. */
      add,
      contract,
      db: database.db,
      lines,
      caFile,
      channelKey,
      close,
    }
  } catch (error) {
    await close()
    throw error
  }
}

/** Creates the files that all processes share: the root key, and a CA for their certificates. */
async function seedState(folder: string, rootKey?: Uint8Array): Promise<{ caFile: string }> {
  const { caFile } = await loadTls(folder)
  if (rootKey) writeRootKey(folder, rootKey)
  loadRootKey(folder, 'local')
  return { caFile }
}

function writeRootKey(folder: string, rootKey: Uint8Array): void {
  const text = `${Buffer.from(rootKey).toString('hex')}\n`
  writeFileSync(join(folder, ROOT_KEY_FILE), text, { mode: 0o600 })
}
