import { randomUUID } from 'node:crypto'
import { mkdirSync } from 'node:fs'
import { createServer, type Server } from 'node:https'
import type { AddressInfo } from 'node:net'
import { resolve } from 'node:path'
import { getRequestListener } from '@hono/node-server'
import { connectChain } from './accounts/chain.ts'
import type { TemplateFile } from './actions/pool/template.ts'
import { AccountRate } from './admission/account-rate.ts'
import { availableMemory } from './admission/available-memory.ts'
import { BodyBudgets } from './admission/body-budgets.ts'
import { Drain } from './admission/drain.ts'
import { EventLoopLoad } from './admission/event-loop-load.ts'
import { memoryLimits } from './admission/memory-limits.ts'
import { createOriginApp } from './app.ts'
import { keyIdOf } from './channel/open-request.ts'
import { StoredUsageKeys } from './channel/stored-usage-keys.ts'
import { openDatabase } from './db/open.ts'
import {
  databaseConnection,
  InvalidSettingsError,
  type OriginSettings,
  parseSettings,
} from './env.ts'
import { createHealth } from './health/create-health.ts'
import { CONNECTION_OPTIONS, protectConnections } from './http/connection/protect-connections.ts'
import { HEAD_OPTIONS, rejectMalformedRequests } from './http/malformed-requests.ts'
import type { OriginApp } from './http/operation.ts'
import { IdempotencyStore } from './idempotency/idempotency-store.ts'
import { Keyring } from './keys/keyring.ts'
import { LineBuffer } from './log/line-buffer.ts'
import { LogSink } from './log/log-sink.ts'
import { Lifecycle } from './lifecycle.ts'
import { type OriginLog, openLog } from './log.ts'
import { Counters } from './metrics/counters.ts'
import { PolicySums } from './policies/sums/policy-sums.ts'
import { takeFolder } from './predecessor.ts'
import { PolicyDocuments } from './policies/documents.ts'
import { PolicySigner } from './policies/policy-signer.ts'
import { ActionStatements } from './receipts/action-statements.ts'
import { WalletStatements } from './receipts/wallet-statements.ts'
import { startAccounts } from './service/accounts.ts'
import { startAuditLog } from './service/audit-log.ts'
import { startCertificates } from './service/certificates.ts'
import { drainAndClose } from './service/drain.ts'
import { startLedger } from './service/ledger.ts'
import { startRuns, startSandbox } from './service/runs.ts'
import { createTransactions } from './service/transactions.ts'
import type { OriginProcess, OriginServices } from './services.ts'
import { EvidenceRenewer } from './tee/evidence-renewer.ts'
import { Evidence } from './tee/evidence.ts'
import { FreshQuotes } from './tee/fresh-quotes.ts'
import { selectTee } from './tee/select-tee.ts'
import type { ServedTls } from './tls/served-tls.ts'
import { openTlsSource } from './tls/tls-source.ts'
import { openTelemetry, type OriginTelemetry } from './telemetry/telemetry.ts'
import { ConfiguredChains } from './transactions/chains.ts'
import type { Transactions } from './transactions/transactions.ts'
import { readBuild } from './version.ts'
import {
  KEY_LIMIT_CHANGES_PER_MINUTE,
  KEY_USES_FLUSH_MS,
  SIMULATIONS_PER_MINUTE,
} from '../shared/limits.ts'

/**
 * Time after which the server closes an idle connection. Longer than the idle timeout of our clients, so that a client
 * never reuses a connection that the server has just closed.
 */
const KEEP_ALIVE_MS = 120_000

/** Interval at which certificates and evidence are checked for renewal. */
const EVIDENCE_POLL_MS = 10_000

const now = Date.now
const counters = new Counters()
const lines = new LineBuffer((text) => process.stdout.write(text))
process.once('exit', () => lines.flush())
let sink: LogSink | undefined
let telemetry: OriginTelemetry | undefined
const writeLine = (line: string) => {
  lines.add(line)
  sink?.add(line)
}
const { log: write, setLevel } = openLog(writeLine, now, (...line) => telemetry?.addLog(...line))
const log: OriginLog = (event, facts) => {
  counters.countEvent(event, facts)
  write(event, facts)
}
const lifecycle = new Lifecycle()
const drain = new Drain()
/** Aborted to stop without waiting for the work in flight. */
const skipGrace = new AbortController()

async function start(template: Promise<TemplateFile>): Promise<void> {
  lifecycle.onClose('template', async () => (await template.catch(() => undefined))?.close())
  requireNoInspector(process.execArgv)
  const settings = parseSettings(process.env)
  setLevel(settings.SVC_LOG_LEVEL)
  sink = openLogSink(settings)
  const processId = randomUUID()
  telemetry = openTelemetry(settings, {
    build: readBuild(settings.SVC_COMMIT),
    processId,
    counters,
    log,
    fetch,
  })
  const origin = await openProcess(settings, processId)
  const { keyring, tee, predecessor, composeHash, build } = origin
  await startCertificates(origin)
  const { pressure, pool, ready } = startSandbox(origin, template)
  const { database, chain, chains } = await connect(settings)
  counters.startChains(chains.all())
  const { db } = database
  const accounts = await startAccounts(origin, db, chain)
  const load = new EventLoopLoad(settings.SVC_SHED_DELAY_MS)
  lifecycle.onClose('load', () => load.close())
  const { audit, ...ledger } = await startLedger(origin, database, chain)
  const { mirror, writer, keyLimits, keyRate } = accounts
  const { credits, processor } = ledger
  const policySums = new PolicySums({ db, now, monotonic: origin.monotonic, log })
  await policySums.recordTimeline()
  const policyDocuments = new PolicyDocuments({ db, now })
  const policySigner = new PolicySigner({
    keyring,
    documents: policyDocuments,
    sums: policySums,
    chainTime: () => mirror.current().chainTime,
    now,
    log,
  })
  const { start: startTransactions, ...sending } = createTransactions(origin, db, {
    chains,
    mirror,
    keyLimits,
    policySigner,
  })
  const parts = {
    pool,
    mirror,
    keyLimits,
    keyRate,
    credits,
    policySigner,
    transactions: sending.transactions,
  }
  const { isDatabaseAway, ...runs } = await startRuns(origin, db, parts)
  startTransactions()
  const keys = keyring.idempotencyKeys()
  const storedResponses = new IdempotencyStore({ db, processId, predecessor, keys, now })
  scheduleUpkeep({
    storedResponses,
    policySums,
    transactions: sending.transactions,
    ...accounts,
  })
  const auditing = startAuditLog(origin, db, { chain, mirror })
  const channel = openChannel(origin)
  const { server, evidence, renewer } = await openServer(origin, channel)
  const health = createHealth(counters.registry, {
    build,
    now,
    mirror,
    nodes: chain.nodes,
    chains,
    transactions: sending.transactions,
    pool,
    writer,
    newAccountLimits: accounts.newAccountLimits,
    credits,
    audit,
    tee,
    evidence,
    payments: processor,
    load,
    pollMs: settings.SVC_CHAIN_POLL_MS,
    isDraining: () => drain.isDraining,
    isDatabaseAway,
    areExecutorsBroken: () => !drain.isDraining && pool.load().isBroken,
    certificateEndsAt: () => renewer.certificateEndsAt,
    cpuPressure: () => pressure.percent,
  })
  const app = createOriginApp({
    settings,
    log,
    counters,
    health,
    build,
    now,
    keyring,
    chain,
    ...accounts,
    ...ledger,
    ...runs,
    ...sending,
    ...auditing,
    policySigner,
    storedResponses,
    tracer: telemetry?.tracer,
    load,
    drain,
    bodyBudgets: new BodyBudgets(memoryLimits(availableMemory()).bodies),
    channel,
    tee,
    evidence,
    freshQuotes: new FreshQuotes(tee, now),
    actionStatements: new ActionStatements({ keyring, composeHash, now }),
    policyDocuments,
    policySums,
    simulations: new AccountRate(SIMULATIONS_PER_MINUTE, now),
    limitChanges: new AccountRate(KEY_LIMIT_CHANGES_PER_MINUTE, now),
    walletStatements: new WalletStatements({ keyring, composeHash, chain }),
  })
  await renewer.start()
  const timer = setInterval(() => void renewer.renewIfDue(), EVIDENCE_POLL_MS)
  lifecycle.onClose('evidence', () => clearInterval(timer))
  await ready
  await listen(server, app, settings)
  const graceMs = settings.SVC_DRAIN_MS
  lifecycle.onClose('server', () =>
    drainAndClose({ drain, pool, server, graceMs, skipGrace: skipGrace.signal, log }),
  )
  const { port } = server.address() as AddressInfo
  log('origin.ready', { port, accounts: mirror.current().size })
  process.send?.({ ready: { port } })
}

function openLogSink({ SVC_LOG_SINK: url, SVC_LOG_SINK_TOKEN: token }: OriginSettings) {
  if (url === undefined) return undefined
  return new LogSink({
    url,
    token,
    fetch,
    random: Math.random,
    onDropped: (count) => counters.countDroppedLines(count),
    onFailed: (reason) => log('log.sink_failed', { reason }),
    onRecovered: () => log('log.sink_recovered'),
  })
}

async function openProcess(settings: OriginSettings, processId: string): Promise<OriginProcess> {
  const stateDir = resolve(settings.SVC_STATE_DIR)
  mkdirSync(stateDir, { recursive: true, mode: 0o700 })
  const { predecessor, release } = takeFolder(stateDir, processId)
  lifecycle.onClose('state folder', release)
  const { tee, rootKey } = await selectTee({ settings, stateDir, now, log })
  return {
    settings,
    stateDir,
    processId,
    predecessor,
    keyring: new Keyring(rootKey),
    tee,
    composeHash: (await tee.info()).compose_hash.toLowerCase(),
    build: readBuild(settings.SVC_COMMIT),
    lifecycle,
    drain,
    counters,
    log,
    now,
    monotonic: () => performance.now(),
  }
}

async function connect(settings: OriginSettings) {
  const [database, chain] = await Promise.all([
    openDatabase(databaseConnection(settings)),
    connectChain(
      settings.SVC_CHAIN_RPC,
      { address: settings.SVC_CONTRACT_ADDRESS, block: settings.SVC_CONTRACT_BLOCK },
      { now, log },
    ),
  ])
  lifecycle.onClose('database', () => database.close())
  lifecycle.onClose('chain', () => chain.provider.destroy())
  const chains = new ConfiguredChains(settings.CHAINS, {
    fetch: (url, init) => fetch(url, init),
    now,
    random: Math.random,
    log,
  })
  lifecycle.onClose('chains', () => chains.close())
  return { database, chain, chains }
}

/** Writes key uses to the database and deletes expired rows and data, at regular intervals. */
function scheduleUpkeep({
  storedResponses,
  newAccountLimits,
  conversionProofs,
  keyUses,
  keyLimits,
  policySums,
  transactions,
}: Pick<
  OriginServices,
  'storedResponses' | 'newAccountLimits' | 'conversionProofs' | 'keyUses' | 'keyLimits'
> & {
  policySums: PolicySums
  transactions: Transactions
}): void {
  const failed = (error: unknown) =>
    log('upkeep.failed', { error: error instanceof Error ? error.name : 'unknown' })
  const timer = setInterval(() => {
    keyUses.flush().catch(failed)
    policySums.recordTimeline().catch(failed)
    for (const store of [
      storedResponses,
      newAccountLimits,
      conversionProofs,
      keyLimits,
      policySums,
      transactions,
    ])
      store.forgetOld().catch(failed)
  }, KEY_USES_FLUSH_MS)
  lifecycle.onClose('upkeep', () => clearInterval(timer))
}

function openChannel({ settings, keyring }: OriginProcess): OriginServices['channel'] {
  const current = keyring.channelKey(settings.SVC_CHANNEL_EPOCH)
  const currentId = keyIdOf(current.publicKey)
  const storage = keyring.storageKey()
  return {
    keys: {
      keyFor: (keyId) => (keyId === currentId ? current : undefined),
      psk: Buffer.from(settings.SVC_CHANNEL_PSK, 'base64url'),
    },
    current,
    storage,
    storedKeys: new StoredUsageKeys(storage),
  }
}

/** Creates the server before the app, so that the renewer can replace the server's certificate. */
async function openServer(
  { settings, stateDir, keyring, tee }: OriginProcess,
  { current, storage }: OriginServices['channel'],
) {
  const epoch = settings.SVC_CHANNEL_EPOCH
  const keys = { channel: current, epoch, storage, receipt: keyring.receiptKey() }
  const evidence = new Evidence({ tee, keys, now, log })
  const { initial: tls, reload: reloadTls } = await openTlsSource(settings, stateDir)
  const server = createServer({ ...secureContext(tls), ...HEAD_OPTIONS, ...CONNECTION_OPTIONS })
  const renewer = new EvidenceRenewer({
    evidence,
    publicUrl: settings.SVC_PUBLIC_URL,
    tls,
    reloadTls,
    serve: (renewed) => server.setSecureContext(secureContext(renewed)),
    log,
  })
  return { server, evidence, renewer }
}

async function listen(server: Server, app: OriginApp, settings: OriginSettings): Promise<void> {
  const { SVC_ORIGIN_HOST: hostname, SVC_ORIGIN_PORT: port, SVC_PUBLIC_URL: publicUrl } = settings
  const respond = getRequestListener(app.fetch, { hostname })
  server.on('request', (incoming, outgoing) => void respond(incoming, outgoing))
  protectConnections(server, settings.SVC_CONNECTIONS_MAX)
  rejectMalformedRequests(server, { counters, log, publicUrl })
  server.keepAliveTimeout = KEEP_ALIVE_MS
  await new Promise<void>((resolveListening) => {
    server.listen(port, hostname, resolveListening)
  })
}

function secureContext({ key, chain }: ServedTls) {
  return { key, cert: chain, minVersion: 'TLSv1.3' } as const
}

/**
 * Requires the flag `--disable-sigusr1`. By default, SIGUSR1 opens a debugger on this process and thus exposes the root
 * key. An action that escaped its sandbox could send this signal, even under the permission model.
 * @throws {Error} if the flag is missing
 */
function requireNoInspector(flags: readonly string[]): void {
  if (flags.includes('--disable-sigusr1')) return
  throw new Error(
    'start the origin with node --disable-sigusr1; otherwise a signal could attach a debugger to its keys',
  )
}

async function stop(code: number): Promise<void> {
  await lifecycle.close((name, error) => log('close.failed', { name, error: String(error) }))
  await Promise.all([sink?.close(), telemetry?.close()])
  process.exit(code)
}

/** @param template the sandbox template, which started building before this module was loaded */
export function runOrigin(template: Promise<TemplateFile>): void {
  let isStopping = false
  const onSignal = () => {
    if (isStopping) process.exit(1)
    isStopping = true
    void stop(0)
  }
  process.on('SIGTERM', onSignal).on('SIGINT', onSignal)
  // A disconnect means that the parent has exited, so no other process would stop this one.
  process.once('disconnect', () => {
    skipGrace.abort()
    void stop(0)
  })
  start(template).catch((error: unknown) => {
    const message = error instanceof Error ? error.message : String(error)
    // The log shortens the message of an error, but not the list of faulty settings, which contains no values.
    if (error instanceof InvalidSettingsError)
      log('origin.failed', { message: 'invalid settings', settings: error.settings })
    else log('origin.failed', { message })
    const exit = () => void stop(1)
    if (process.send) process.send({ failed: { message } }, undefined, undefined, exit)
    else exit()
  })
}
