/** The origin's main process; `main.ts` is its entry point. */
import { randomUUID } from 'node:crypto'
import { mkdirSync } from 'node:fs'
import { createServer, Server as TlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { resolve } from 'node:path'
import { serve, type ServerType } from '@hono/node-server'
import { MirrorBarrier, REQUIREMENT_CHANNEL } from './accounts/mirror/mirror-barrier.ts'
import { ContractUnavailableError, connectChain } from './accounts/chain.ts'
import { AccountsMirror } from './accounts/mirror.ts'
import { chainIdentity, ReadLease } from './accounts/mirror/read-lease.ts'
import { SnapshotFile, snapshotPath } from './accounts/mirror/snapshot-file.ts'
import { SnapshotScheduler } from './accounts/mirror/snapshot-scheduler.ts'
import { AccountsWriter } from './accounts/writer.ts'
import { ConversionProofs } from './accounts/wallet-proofs/conversion-proofs.ts'
import { WalletProofs } from './accounts/wallet-proofs/wallet-proofs.ts'
import { KeyUses } from './accounts/key-uses.ts'
import { AccountEmails } from './accounts/account-emails.ts'
import { NewAccountLimits } from './admission/new-account-limits.ts'
import { BodyBudgets } from './admission/body-budgets.ts'
import { CpuPressure } from './admission/cpu-pressure.ts'
import { EventLoopLoad } from './admission/event-loop-load.ts'
import { WalletCallLimits } from './admission/wallet-call-limits.ts'
import { ownServices } from './actions/outbound/policy.ts'
import { createActionPool } from './actions/pool.ts'
import { SourceCids } from './actions/source-cid/source-cids.ts'
import type { TemplateFile } from './actions/pool/template.ts'
import { createOriginApp } from './app.ts'
import { CONNECTION_OPTIONS, protectConnections } from './http/connection/protect-connections.ts'
import { keyIdOf } from './channel/open-request.ts'
import { Audit } from './credits/audit.ts'
import { Credits } from './credits/credits.ts'
import { startPayments } from './credits/processor/start-payments.ts'
import { scheduleAudits, maintainCredits } from './credits/maintenance.ts'
import { listenFor } from './db/notifications.ts'
import { abortableSleep } from './db/time-limit.ts'
import { openDatabase } from './db/open.ts'
import { parseSettings } from './env.ts'
import { IdempotencyStore } from './idempotency/idempotency-store.ts'
import { Keyring } from './keys/keyring.ts'
import { Lifecycle } from './lifecycle.ts'
import { takeFolder } from './predecessor.ts'
import { HEAD_OPTIONS, rejectMalformedRequests } from './http/malformed-requests.ts'
import { createHealth } from './health/create-health.ts'
import { type OriginLog, openLog, errorTrace } from './log.ts'
import { Counters } from './metrics/counters.ts'
import { ActionStatements } from './receipts/action-statements.ts'
import { ReceiptSigner } from './receipts/receipt-signer.ts'
import { HEARTBEAT_MS, RunClaims } from './runs/claims.ts'
import { Executions } from './runs/executions.ts'
import { selectTee } from './tee/select-tee.ts'
import { Evidence } from './tee/evidence.ts'
import { FreshQuotes } from './tee/fresh-quotes.ts'
import { EvidenceRenewer } from './tee/evidence-renewer.ts'
import type { ServedTls } from './tls/served-tls.ts'
import { openTlsSource } from './tls/tls-source.ts'
import { KEY_USES_FLUSH_MS } from '../shared/limits.ts'

/** Longer than our clients' timeout, so that a client never sends on a connection that was just closed. */
const KEEP_ALIVE_MS = 120_000

/** Interval of checking certificates and evidence for renewal. */
const EVIDENCE_POLL_MS = 10_000

const now = Date.now
/** Unaffected by changes of the system clock. */
const monotonic = () => performance.now()
const counters = new Counters()
const { log: write, setLevel } = openLog((line) => process.stdout.write(line), now)
const log: OriginLog = (event, facts) => {
  counters.countEvent(event, facts)
  write(event, facts)
}
const lifecycle = new Lifecycle()

async function start(template: Promise<TemplateFile>): Promise<void> {
  lifecycle.onClose('template', async () => (await template.catch(() => undefined))?.close())
  requireNoInspector(process.execArgv)
  const settings = parseSettings(process.env)
  setLevel(settings.SVC_LOG_LEVEL)
  const stateDir = resolve(settings.SVC_STATE_DIR)
  mkdirSync(stateDir, { recursive: true, mode: 0o700 })
  const processId = randomUUID()
  const { predecessor, release } = takeFolder(stateDir, processId)
  lifecycle.onClose('state folder', release)
  const { tee, rootKey } = await selectTee({ settings, stateDir, now, log })
  const keyring = new Keyring(rootKey)
  const composeHash = (await tee.info()).compose_hash.toLowerCase()

  const pressure = new CpuPressure(settings.SVC_SHED_CPU_PRESSURE)
  lifecycle.onClose('pressure', () => pressure.close())
  const pool = createActionPool({
    template,
    min: settings.SVC_EXECUTORS_MIN,
    max: settings.SVC_EXECUTORS_MAX,
    isUnderPressure: () => pressure.isHigh,
    onRunStarted: (waitedMs) => counters.observeRunWait(waitedMs),
    outbound: {
      allow: settings.SVC_OUTBOUND_ALLOW,
      deny: [
        ...settings.SVC_OUTBOUND_DENY,
        ...ownServices([
          settings.SVC_PUBLIC_URL,
          settings.DATABASE_URL,
          settings.SVC_PROCESSOR_URL,
        ]),
      ],
    },
  })
  lifecycle.onClose('actions', () => pool.close())
  const executorsReady = pool.ready()

  const [database, chain] = await Promise.all([
    openDatabase(settings.DATABASE_URL),
    connectChain(settings.SVC_CHAIN_RPC, {
      address: settings.SVC_CONTRACT_ADDRESS,
      block: settings.SVC_CONTRACT_BLOCK,
    }),
  ])
  lifecycle.onClose('database', () => database.close())
  lifecycle.onClose('chain', () => chain.provider.destroy())

  const mirrorFailed = (error: unknown) => {
    const cause = error instanceof ContractUnavailableError ? error.cause : undefined
    log('mirror.failed', { error: String(cause ?? error) })
  }
  const snapshotFile = new SnapshotFile({
    path: snapshotPath(stateDir, chain),
    key: keyring.mirrorKey(),
    chainId: chain.chainId,
    contractAddress: chain.contractAddress,
    onUnusable: (reason) => log('mirror.snapshot-ignored', { reason }),
  })
  const mirror = new AccountsMirror({
    chain,
    pollMs: settings.SVC_CHAIN_POLL_MS,
    now: monotonic,
    onFailure: mirrorFailed,
    finality: settings.SVC_CHAIN_FINALITY,
    snapshots: new SnapshotScheduler({
      file: snapshotFile,
      now: monotonic,
      onFailure: (error) => log('mirror.snapshot-failed', { error: String(error) }),
    }),
  })
  await mirror.start()
  lifecycle.onClose('mirror', () => mirror.close())

  const { db } = database
  const mirrorContext = { db, processId, chain: await chainIdentity(chain), now: monotonic }
  const readLease = new ReadLease({
    ...mirrorContext,
    predecessor,
    mirror,
    onFailure: mirrorFailed,
    listen: (notice) => listenFor(settings.DATABASE_URL, REQUIREMENT_CHANNEL, notice),
  })
  await readLease.start()
  lifecycle.onClose('read lease', () => readLease.close())
  const appliedEverywhere = new MirrorBarrier({ ...mirrorContext, onFailure: mirrorFailed })
  const writer = new AccountsWriter({
    chain,
    mirror,
    db,
    processId,
    predecessor,
    now,
    log,
    payerKey: (number) => keyring.payerKey(number),
    payers: settings.SVC_PAYERS,
    finality: settings.SVC_CHAIN_FINALITY,
    afterMined: (block) => appliedEverywhere.wait(block),
  })
  await writer.start()
  lifecycle.onClose('writer', () => writer.close())
  const outcomeKey = keyring.outcomeKey()
  const claims = new RunClaims({ db, processId, predecessor, outcomeKey, now })
  const keys = keyring.idempotencyKeys()
  const storedResponses = new IdempotencyStore({ db, processId, predecessor, keys, now })
  const keyUses = new KeyUses({ db, now })
  const conversionProofs = new ConversionProofs({ db, now })
  const accountEmails = new AccountEmails({ db, key: keyring.emailKey() })
  lifecycle.onClose('key uses', () => keyUses.flush())
  const newAccountLimits = new NewAccountLimits({
    db,
    now,
    hashKey: keyring.addressHashKey(),
    burst: settings.SVC_NEW_ACCOUNT_BURST,
    perHour: settings.SVC_NEW_ACCOUNT_PER_HOUR,
    gasPerDayWei: settings.SVC_NEW_ACCOUNT_GAS_PER_DAY_WEI,
  })
  const load = new EventLoopLoad(settings.SVC_SHED_DELAY_MS)
  lifecycle.onClose('load', () => load.close())
  const starterCents = settings.SVC_STARTER_CREDITS_CENTS
  const credits = new Credits({
    db,
    reports: database.reports,
    processId,
    predecessor,
    starterCents,
    now,
    monotonic,
    sleep: abortableSleep,
    log,
    newId: randomUUID,
  })
  await credits.recover()
  lifecycle.onClose('credits', () => credits.close())
  lifecycle.onClose('credits tending', maintainCredits(credits, log))
  const audit = new Audit({ db: database.reports, log })
  lifecycle.onClose('audit', scheduleAudits(audit, log))
  const processor = startPayments({
    settings,
    chain,
    db,
    credits,
    starterCents,
    now,
    sleep: abortableSleep,
    log,
  })
  lifecycle.onClose('payments', () => processor?.stop())
  await claims.heartbeat()
  const lost = await claims.reap()
  if (lost > 0) log('claims.reaped', { lost })
  const limits = {
    wallMs: settings.SVC_EXECUTION_WALL_MS,
    cpuMs: settings.SVC_EXECUTION_CPU_MS,
  }
  const receipts = new ReceiptSigner({ key: keyring.receiptKey(), composeHash, now })
  const sourceCids = new SourceCids(now)
  lifecycle.onClose('source cids', () => sourceCids.close())
  const executions = new Executions({
    pool,
    sourceCids,
    keyring,
    claims,
    mirror,
    credits,
    limits,
    receipts,
    log,
  })

  let isDatabaseAway = false
  const claimsTimer = setInterval(
    () => void maintainClaims(claims, executions).then((answered) => (isDatabaseAway = !answered)),
    HEARTBEAT_MS,
  )
  lifecycle.onClose('claims', () => clearInterval(claimsTimer))
  const upkeepTimer = setInterval(() => {
    const failed = (error: unknown) =>
      log('upkeep.failed', { error: error instanceof Error ? error.name : 'unknown' })
    const deletions = [storedResponses, newAccountLimits, conversionProofs].map((kept) =>
      kept.forgetOld(),
    )
    const jobs = [keyUses.flush(), ...deletions]
    for (const job of jobs) job.catch(failed)
  }, KEY_USES_FLUSH_MS)
  lifecycle.onClose('upkeep', () => clearInterval(upkeepTimer))

  const current = keyring.channelKey(settings.SVC_CHANNEL_EPOCH)
  const currentId = keyIdOf(current.publicKey)
  const storage = keyring.storageKey()
  const evidenceKeys = {
    channel: current,
    epoch: settings.SVC_CHANNEL_EPOCH,
    storage,
    receipt: keyring.receiptKey(),
  }
  const evidence = new Evidence({ tee, keys: evidenceKeys, now, log })
  const { initial: tls, reload: look } = await openTlsSource(settings, stateDir)
  let server: ServerType | undefined
  const evidenceTending = new EvidenceRenewer({
    evidence,
    publicUrl: settings.SVC_PUBLIC_URL,
    tls,
    reloadTls: look,
    serve: (renewed) => {
      if (server instanceof TlsServer) server.setSecureContext(secureContext(renewed))
    },
    log,
  })
  const certificateEndsAt = () => evidenceTending.certificateEndsAt
  const health = createHealth(counters.registry, {
    now,
    mirror,
    pool,
    writer,
    credits,
    audit,
    tee,
    evidence,
    payments: processor,
    load,
    pollMs: settings.SVC_CHAIN_POLL_MS,
    isDatabaseAway: () => isDatabaseAway,
    areExecutorsBroken: () => pool.load().isBroken,
    certificateEndsAt,
    cpuPressure: () => pressure.percent,
  })
  const app = createOriginApp({
    settings,
    log,
    counters,
    health,
    now,
    keyring,
    chain,
    mirror,
    writer,
    walletProofs: new WalletProofs({ chain, now }),
    conversionProofs,
    accountEmails,
    claims,
    credits,
    processor,
    executions,
    storedResponses,
    keyUses,
    newAccountLimits,
    walletCalls: new WalletCallLimits({ db, now, hashKey: keyring.addressHashKey() }),
    load,
    bodyBudgets: new BodyBudgets(),
    sourceCids,
    channel: {
      keys: {
        keyFor: (keyId) => (keyId === currentId ? current : undefined),
        psk: Buffer.from(settings.SVC_CHANNEL_PSK, 'base64url'),
      },
      current,
      storage,
    },
    tee,
    evidence,
    freshQuotes: new FreshQuotes(tee, now),
    actionStatements: new ActionStatements({ keyring, composeHash, now }),
  })

  await evidenceTending.start()
  const evidenceTimer = setInterval(() => void evidenceTending.renewIfDue(), EVIDENCE_POLL_MS)
  lifecycle.onClose('evidence', () => clearInterval(evidenceTimer))

  await executorsReady
  await new Promise<void>((listening) => {
    server = serve(
      {
        fetch: app.fetch,
        hostname: settings.SVC_ORIGIN_HOST,
        port: settings.SVC_ORIGIN_PORT,
        createServer,
        serverOptions: { ...secureContext(tls), ...HEAD_OPTIONS, ...CONNECTION_OPTIONS },
      },
      (address: AddressInfo) => {
        log('origin.ready', { port: address.port, accounts: mirror.current().size })
        process.send?.({ ready: { port: address.port } })
        listening()
      },
    )
    if (server instanceof TlsServer) {
      protectConnections(server, settings.SVC_CONNECTIONS_MAX)
      rejectMalformedRequests(server, { counters, log, publicUrl: settings.SVC_PUBLIC_URL })
    }
    if ('keepAliveTimeout' in server) server.keepAliveTimeout = KEEP_ALIVE_MS
    lifecycle.onClose('server', () => {
      server?.close()
      if (server && 'closeAllConnections' in server) server.closeAllConnections()
    })
  })
}

function secureContext({ key, chain }: ServedTls) {
  return { key, cert: chain, minVersion: 'TLSv1.3' } as const
}

/**
 * An action that escaped its sandbox could send signals, even under the permission model. By default, SIGUSR1 opens a
 * debugger on this process and thus exposes the root key.
 */
function requireNoInspector(flags: readonly string[]): void {
  if (flags.includes('--disable-sigusr1')) return
  throw new Error(
    'start the origin with node --disable-sigusr1; otherwise a signal could attach a debugger to its keys',
  )
}

/** @returns false if the database did not answer */
async function maintainClaims(claims: RunClaims, executions: Executions): Promise<boolean> {
  try {
    await claims.heartbeat()
    await claims.reap()
    await claims.releaseAbandoned((run) => executions.isInFlight(run))
    await claims.deleteExpired()
    return true
  } catch (error) {
    log('claims.failed', { cause: errorTrace(error) })
    return false
  }
}

async function stop(code: number): Promise<void> {
  await lifecycle.close((name, error) => log('close.failed', { name, error: String(error) }))
  process.exit(code)
}

/** @param template its building began before this module was loaded */
export function runOrigin(template: Promise<TemplateFile>): void {
  process.on('SIGTERM', () => void stop(0)).on('SIGINT', () => void stop(0))
  // The parent has exited, so no other process would stop this one.
  process.once('disconnect', () => void stop(0))
  start(template).catch((error: unknown) => {
    const message = error instanceof Error ? error.message : String(error)
    log('origin.failed', { message })
    const exit = () => void stop(1)
    if (process.send) process.send({ failed: { message } }, undefined, undefined, exit)
    else exit()
  })
}
