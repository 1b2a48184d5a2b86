/** Runs a chain, a database, an origin and an edge as separate processes that share one state folder. */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { buildSandboxBundles } from '../actions/bundles.ts'
import { DRAIN_DEFAULT_MS } from '../admission/drain.ts'
import { sourceCommit } from '../../shared/packaging/source-commit.ts'
import { Keyring } from '../keys/keyring.ts'
import { loadRootKey } from '../keys/root-key-file.ts'
import { NODE_OPTIONS, ORIGIN_NODE_OPTIONS } from '../node-options.ts'
import { simulatedPinOf } from '../tee/simulated/provider.ts'
import { loadTls, type TlsFiles } from '../tls.ts'
import { domainOf, localAcmeAccountUri } from '../tls/served-tls.ts'
import { inheritedEnvironment, pickOriginSettings } from './child-environment.ts'
import { nodeBundles } from './bundles.ts'
import { ChainState } from './chain-state.ts'
import { Child, type ChildFailedError, STOP_MS } from './child.ts'
import {
  type ChildHooks,
  type LocalContract,
  ensureContract,
  LOCAL_CHAIN_ID,
  LOCAL_FINALITY,
  LOCAL_PAYERS,
  startChain,
} from './chain.ts'
import { startDatabase } from './database.ts'
import { ensureApp, type LocalApp } from './governance.ts'
import {
  loadDatabasePassword,
  loadLocalSecrets,
  loadMetricsToken,
  type LocalSecrets,
} from './local-secrets.ts'
import { mineLostBlocks } from './lost-blocks.ts'
import { type LocalNameServer, startNameServer } from './name-server.ts'
import { choosePorts, freePort } from './ports.ts'
import type { Ports } from './stack-settings.ts'
import { reportWhile } from './start-progress.ts'
import { type StackAddresses, StateLock } from './state-lock.ts'

type StackOptions = {
  stateDir: string
  /**
   * Environment variables, including the port settings (see `choosePorts`) and the origin's payment processor settings.
   */
  environment: NodeJS.ProcessEnv
  /** Settings of the origin. If they contain `DATABASE_URL`, the stack does not start a database. */
  originSettings?: Record<string, string>
  edgeSettings?: Record<string, string>
  /** Port of workerd's inspector, for tests. By default, there is no inspector. */
  edgeInspectorPort?: number | undefined
  /** Absolute path of a module to run instead of `origin/main.ts`, for tests. */
  originEntry?: string | undefined
  onLine(component: string, line: string): void
  /** Called every 15 s while the stack is starting slowly. */
  onWait?: (text: string) => void
}

export type Component = 'chain' | 'database' | 'origin' | 'edge'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const ORIGIN_ENTRY = fileURLToPath(new URL('../main.ts', import.meta.url))
const EDGE_ENTRY = fileURLToPath(new URL('edge-runner.ts', import.meta.url))

const CHANNEL_EPOCH = 1
/** Credits in cents that a new account starts with, because a local stack usually cannot process payments. */
const STARTER_CENTS = 500

/** Poll interval of the chains in `CHAINS`. The local chain mines one block per second. */
const LOCAL_POLL_MS = 1_000

const STARTUP_TEXTS = {
  origin: 'preparing its sandboxes and tables',
  edge: 'preparing the Worker and its database',
} as const

/** For tests, each component can be started, stopped and killed individually. */
export class Stack {
  readonly baseUrl: string
  readonly triggersUrl: string
  readonly chainUrl: string
  readonly caFile: string
  readonly certificateFile: string
  readonly #options: StackOptions
  readonly #ports: Ports
  readonly #lock: StateLock
  readonly #chainState: ChainState
  readonly #rootKey: Uint8Array
  readonly #keyring: Keyring
  readonly #secrets: LocalSecrets
  readonly #metricsToken: string
  readonly #databasePassword: string
  readonly #commit: Promise<string>
  readonly #bundles: Record<keyof typeof STARTUP_TEXTS, Promise<string[]>>
  readonly #children = new Map<Component, Child>()
  readonly #exitListeners: ((error: ChildFailedError) => void)[] = []
  #deployment: LocalContract | undefined
  #databasePort: number | undefined
  #databaseUrl: string | undefined
  #app: LocalApp | undefined
  #nameServer: LocalNameServer | undefined
  #stopping: Promise<void> | undefined

  private constructor(
    options: StackOptions,
    ports: Ports,
    lock: StateLock,
    { caFile, certificateFile }: TlsFiles,
  ) {
    const { stateDir } = options
    this.#options = options
    this.#ports = ports
    this.#lock = lock
    this.#chainState = new ChainState(join(stateDir, 'chain'))
    this.#rootKey = loadRootKey(stateDir, 'local')
    this.#keyring = new Keyring(this.#rootKey)
    this.#secrets = loadLocalSecrets(stateDir)
    this.#metricsToken = loadMetricsToken(stateDir)
    this.#databasePassword = loadDatabasePassword(stateDir)
    this.#commit = sourceCommit(ROOT)
    this.#bundles = {
      edge: nodeBundles([EDGE_ENTRY]),
      origin: buildSandboxBundles().then(() => nodeBundles([options.originEntry ?? ORIGIN_ENTRY])),
    }
    // Handled by the start that needs the bundle. It may still be waiting for other components when the build fails.
    this.#bundles.origin.catch(() => {})
    this.caFile = caFile
    this.certificateFile = certificateFile
    this.baseUrl = `https://localhost:${ports.origin}`
    this.triggersUrl = `http://localhost:${ports.edge}`
    this.chainUrl = `http://localhost:${ports.chain}`
  }

  /**
   * If a component fails, stops the others.
   * @throws {StateInUseError | PortUnusableError | ChildFailedError}
   */
  static async start(options: StackOptions): Promise<Stack> {
    const lock = await StateLock.take(options.stateDir)
    let stack: Stack | undefined
    try {
      // Choose the ports only after taking the lock, which terminates leftover processes of a killed stack and frees
      // their ports.
      const ports = await choosePorts(options.environment)
      stack = new Stack(options, ports, lock, await loadTls(options.stateDir))
      await Promise.race([stack.#startAll(), stack.#unexpectedExit()])
      lock.publish(stack.addresses())
      return stack
    } catch (error) {
      if (stack) await stack.stop()
      else lock.release()
      throw error
    }
  }

  async #startAll(): Promise<void> {
    // Start the edge in parallel, because its start needs no other component.
    await Promise.all([
      this.startComponent('edge'),
      this.#startOriginAndItsComponents(),
      this.#startNameServer(),
    ])
  }

  async #startOriginAndItsComponents(): Promise<void> {
    await Promise.all([this.startComponent('chain'), this.startComponent('database')])
    const rpcUrl = `http://127.0.0.1:${this.#ports.chain}`
    await mineLostBlocks(this.#databaseUrl!, rpcUrl, this.#deployment!)
    await this.startComponent('origin')
  }

  #unexpectedExit(): Promise<never> {
    return new Promise((_, reject) => {
      // Reject in a later turn of the event loop, because a component's own report of a failed start is more specific
      // and arrives in the same turn.
      this.onUnexpectedExit((error) => setImmediate(() => reject(error)))
    })
  }

  addresses(): StackAddresses {
    if (!this.#app || !this.#nameServer) throw new Error('the stack is not running')
    return {
      base_url: this.baseUrl,
      triggers_url: this.triggersUrl,
      chain_rpc: this.chainUrl,
      dns_server: this.#nameServer.address,
      ca_file: this.caFile,
      governance: this.#app.governance,
    }
  }

  onUnexpectedExit(listener: (error: ChildFailedError) => void): void {
    this.#exitListeners.push(listener)
  }

  async startComponent(component: Component): Promise<void> {
    if (component === 'chain') await this.#startChain()
    else if (component === 'database') await this.#startDatabase()
    else if (component === 'origin') await this.#startOrigin()
    else await this.#startEdge()
  }

  /**
   * Stops a component, as in a deployment.
   * @returns how its process ended, such as "exited with code 0"
   */
  async stopComponent(component: Component): Promise<string | undefined> {
    return this.#children.get(component)?.stop()
  }

  /** Kills a component and all its descendants, to simulate a crash. */
  async kill(component: Component): Promise<void> {
    await this.#children.get(component)?.kill()
  }

  /** If a stop is already in progress, waits for it. */
  stop(): Promise<void> {
    return (this.#stopping ??= this.#stop())
  }

  async #stop(): Promise<void> {
    for (const component of ['edge', 'origin', 'database', 'chain'] as const)
      await this.#children.get(component)?.stop()
    await this.#chainState.stop()
    await this.#nameServer?.close()
    this.#lock.release()
  }

  async #startNameServer(): Promise<void> {
    const { baseUrl } = this
    this.#nameServer = await startNameServer(domainOf(baseUrl), localAcmeAccountUri(baseUrl))
  }

  async #startChain(): Promise<void> {
    const { stateDir, originSettings, onWait } = this.#options
    const created = (child: Child) => this.#register('chain', child)
    const hooks = { ...this.#hooks('chain'), created }
    const { rpcUrl } = await startChain(this.#chainState, this.#ports.chain, hooks)
    const deploy = async () => {
      this.#deployment = await ensureContract(stateDir, rpcUrl, this.#keyring)
      this.#app = await ensureApp(stateDir, rpcUrl, originSettings?.['SVC_APP_COMPOSE_FILE'])
    }
    await reportWhile(deploy(), (seconds) =>
      onWait?.(`waiting for the contracts to be deployed on the chain (${seconds} s so far)`),
    )
  }

  async #startDatabase(): Promise<void> {
    const { stateDir, originSettings } = this.#options
    this.#databaseUrl = originSettings?.['DATABASE_URL']
    if (this.#databaseUrl !== undefined) return
    // Use the same port after a restart of the database, because the origin cannot learn a new port.
    this.#databasePort ??= await freePort(Object.values(this.#ports))
    const created = (child: Child) => this.#register('database', child)
    const hooks = { ...this.#hooks('database'), created }
    const { url } = await startDatabase(stateDir, this.#databasePort, this.#databasePassword, hooks)
    this.#databaseUrl = url
  }

  async #startOrigin(): Promise<void> {
    const { stateDir, environment, originSettings } = this.#options
    const ports = this.#ports
    if (!this.#deployment || !this.#app || this.#databaseUrl === undefined)
      throw new Error('start the chain and the database before the origin')
    const child = await this.#startNode('origin', {
      SVC_ENV: 'local',
      SVC_TEE: 'simulated',
      SVC_STATE_DIR: stateDir,
      SVC_ORIGIN_PORT: String(ports.origin),
      SVC_PUBLIC_URL: this.baseUrl,
      SVC_CHAIN_RPC: `http://127.0.0.1:${ports.chain}`,
      SVC_CONTRACT_ADDRESS: this.#deployment.address,
      SVC_CONTRACT_BLOCK: String(this.#deployment.block),
      SVC_CHAIN_FINALITY: String(LOCAL_FINALITY),
      CHAINS: this.#chains(),
      DATABASE_URL: this.#databaseUrl,
      SVC_PAYERS: String(LOCAL_PAYERS),
      SVC_CHANNEL_PSK: this.#secrets.channelPsk,
      SVC_CHANNEL_EPOCH: String(CHANNEL_EPOCH),
      SVC_STARTER_CREDITS_CENTS: String(STARTER_CENTS),
      SVC_METRICS_TOKEN: this.#metricsToken,
      SVC_COMMIT: await this.#commit,
      ...pickOriginSettings(environment),
      ...originSettings,
      SVC_APP_ID: this.#app.governance,
      SVC_APP_COMPOSE_FILE: this.#app.composeFile,
    })
    await child.waitForReady()
  }

  async #startEdge(): Promise<void> {
    const { edgeInspectorPort, stateDir } = this.#options
    const edgeDir = join(stateDir, 'edge')
    mkdirSync(edgeDir, { recursive: true, mode: 0o700 })
    const child = await this.#startNode('edge', {
      EDGE_STATE_DIR: edgeDir,
      EDGE_PORT: String(this.#ports.edge),
      EDGE_BINDINGS: JSON.stringify({ SVC_COMMIT: await this.#commit, ...this.#edgeSettings() }),
      ...(edgeInspectorPort !== undefined && { EDGE_INSPECTOR_PORT: String(edgeInspectorPort) }),
      // workerd trusts this certificate authority in addition to the public ones. Miniflare reads this variable when it
      // is imported.
      NODE_EXTRA_CA_CERTS: this.caFile,
    })
    await child.waitForReady()
  }

  #edgeSettings(): Record<string, string> {
    return {
      SVC_ENV: 'local',
      ORIGIN_URL: this.baseUrl,
      PUBLIC_URL: this.triggersUrl,
      ORIGIN_TRUST: 'simulated',
      SIM_ROOT_SHA256: simulatedPinOf(this.#rootKey),
      CHANNEL_PSK: this.#secrets.channelPsk,
      ID_MAC_KEY: this.#secrets.idMacKey,
      METRICS_TOKEN: this.#metricsToken,
      CHAINS: this.#chains(),
      ...this.#paymentScript(),
      ...this.#options.edgeSettings,
    }
  }

  /** Returns the chains of the edge and the origin. */
  #chains(): string {
    const { CHAINS: given } = this.#options.edgeSettings ?? {}
    if (given !== undefined) return given
    const rpc = [`http://127.0.0.1:${this.#ports.chain}`]
    return JSON.stringify({
      ethereum: {
        chain_id: LOCAL_CHAIN_ID,
        rpc,
        finality: LOCAL_FINALITY,
        poll_ms: LOCAL_POLL_MS,
      },
    })
  }

  /**
   * Returns the URL of the payment processor's client library. A processor with a custom URL also serves its library at
   * this URL.
   */
  #paymentScript(): Record<string, string> {
    const { environment, originSettings } = this.#options
    const { SVC_PROCESSOR_URL: url } = { ...pickOriginSettings(environment), ...originSettings }
    return url === undefined ? {} : { PAYMENT_SCRIPT_URL: new URL('/v3/', url).href }
  }

  async #startNode(
    component: keyof typeof STARTUP_TEXTS,
    settings: Record<string, string>,
  ): Promise<Child> {
    const [bundle] = await this.#bundles[component]
    // Another component may have failed in the meantime.
    if (this.#stopping) throw new Error('the stack is stopping')
    const child = new Child({
      name: component,
      command: process.execPath,
      args: [...(component === 'origin' ? ORIGIN_NODE_OPTIONS : NODE_OPTIONS), bundle!],
      env: { ...inheritedEnvironment(), ...settings },
      ipc: true,
      starts: STARTUP_TEXTS[component],
      stopSignal: 'SIGTERM',
      stopMs: Number(settings['SVC_DRAIN_MS'] ?? DRAIN_DEFAULT_MS.local) + STOP_MS,
      ...this.#hooks(component),
    })
    this.#register(component, child)
    return child
  }

  #hooks(component: Component): ChildHooks {
    const { onWait } = this.#options
    return {
      ...(onWait && { onWait }),
      onLine: (line) => this.#options.onLine(component, line),
      started: (pid) => this.#lock.addChild(component, pid),
    }
  }

  #register(component: Component, child: Child): void {
    this.#children.set(component, child)
    child.onUnexpectedExit((error) => {
      for (const listener of this.#exitListeners) listener(error)
    })
  }
}
