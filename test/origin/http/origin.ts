/** The complete origin in one process: the real app, mirror, writer, database and action pool, on a separate chain. */
import { randomBytes, randomUUID } from 'node:crypto'
import { AccountsMirror } from '../../../origin/accounts/mirror.ts'
import { AccountsWriter } from '../../../origin/accounts/writer.ts'
import { AccountEmails } from '../../../origin/accounts/account-emails.ts'
import { ConversionProofs } from '../../../origin/accounts/wallet-proofs/conversion-proofs.ts'
import { WalletProofs } from '../../../origin/accounts/wallet-proofs/wallet-proofs.ts'
import { KeyUses } from '../../../origin/accounts/key-uses.ts'
import { NewAccountLimits } from '../../../origin/admission/new-account-limits.ts'
import { AccountRate } from '../../../origin/admission/account-rate.ts'
import { BodyBudgets } from '../../../origin/admission/body-budgets.ts'
import { Drain } from '../../../origin/admission/drain.ts'
import { memoryLimits } from '../../../origin/admission/memory-limits.ts'
import { WalletCallLimits } from '../../../origin/admission/wallet-call-limits.ts'
import { createActionPool } from '../../../origin/actions/pool.ts'
import { SourceCids } from '../../../origin/actions/source-cid/source-cids.ts'
import { createOriginApp } from '../../../origin/app.ts'
import { keyIdOf } from '../../../origin/channel/open-request.ts'
import { StoredUsageKeys } from '../../../origin/channel/stored-usage-keys.ts'
import { AuditLog } from '../../../origin/audit-log/audit-log.ts'
import { Refusals } from '../../../origin/audit-log/refusals.ts'
import { Audit } from '../../../origin/credits/audit.ts'
import { parseSettings } from '../../../origin/env.ts'
import { createHealth } from '../../../origin/health/create-health.ts'
import { openLog } from '../../../origin/log.ts'
import { Counters } from '../../../origin/metrics/counters.ts'
import { addressFromPrivateKey, Keyring } from '../../../origin/keys/keyring.ts'
import { IdempotencyStore } from '../../../origin/idempotency/idempotency-store.ts'
import { Credits } from '../../../origin/credits/credits.ts'
import { startPayments } from '../../../origin/credits/processor/start-payments.ts'
import { abortableSleep } from '../../../origin/timeout.ts'
import { HEARTBEAT_MS, RunClaims } from '../../../origin/runs/claims.ts'
import { PolicySums } from '../../../origin/policies/sums/policy-sums.ts'
import { ActionStatements } from '../../../origin/receipts/action-statements.ts'
import { WalletStatements } from '../../../origin/receipts/wallet-statements.ts'
import { PolicyDocuments } from '../../../origin/policies/documents.ts'
import { PolicySigner } from '../../../origin/policies/policy-signer.ts'
import { ReceiptSigner } from '../../../origin/receipts/receipt-signer.ts'
import { Executions } from '../../../origin/runs/executions.ts'
import { simulatedAppCompose } from '../../../origin/tee/simulated-app-compose.ts'
import { Evidence } from '../../../origin/tee/evidence.ts'
import { FreshQuotes } from '../../../origin/tee/fresh-quotes.ts'
import { simulatedPinOf, SimulatedProvider } from '../../../origin/tee/simulated/provider.ts'
import type { OriginServices } from '../../../origin/services.ts'
import { KeyConcurrency } from '../../../origin/usage-keys/key-concurrency.ts'
import { KeyRate } from '../../../origin/usage-keys/key-rate.ts'
import { UsageKeyLimits } from '../../../origin/usage-keys/usage-key-limits.ts'
import { readBuild } from '../../../origin/version.ts'
import { ConfiguredChains } from '../../../origin/transactions/chains.ts'
import { AccountDefaults } from '../../../origin/transactions/defaults.ts'
import { RunTransactionSigner } from '../../../origin/transactions/signer.ts'
import { Transactions } from '../../../origin/transactions/transactions.ts'
import {
  KEY_LIMIT_CHANGES_PER_MINUTE,
  SIMULATIONS_PER_MINUTE,
  TRANSACTION_REQUESTS_PER_MINUTE,
} from '../../../shared/limits.ts'
import { type ContractOnChain, startContract } from '../accounts/contract.ts'
import { keptTemplate } from '../actions/kept-template.ts'
import { openFresh } from '../db/fresh-database.ts'
import { originClient } from './origin-client.ts'
import type { ProcessorDouble } from '../../doubles/processor/server.ts'

/** Token for reading `/metrics`. */
export const METRICS_TOKEN = randomBytes(24).toString('base64url')
const DAY_MS = 24 * 60 * 60 * 1000

export type TestOrigin = Awaited<ReturnType<typeof startOrigin>>
export type LogEntry = { event: string; facts: Record<string, unknown> }

/**
 * @param processor makes payments; without one, payments are disabled
 * @param connect connects to the contract's chain; by default, to its node alone
 * @param stored root key and database of an earlier origin; by default, new ones
 */
export async function startOrigin(
  processor?: ProcessorDouble,
  connect = async ({ chain }: ContractOnChain) => chain,
  { root = randomBytes(32), openStored = openFresh } = {},
) {
  const keyring = new Keyring(root)
  const counters = new Counters()
  const onRunStarted = (waitedMs: number) => counters.observeRunWait(waitedMs)
  const pool = createActionPool({ min: 1, max: 2, template: keptTemplate(), onRunStarted })
  const [database, contract] = await Promise.all([
    openStored(),
    startContract(...[0, 1, 2].map((n) => addressFromPrivateKey(keyring.payerKey(n)))),
  ])
  const chain = await connect(contract)

  const logs: LogEntry[] = []
  const clock = { aheadMs: 0 }
  const now = () => Date.now() + clock.aheadMs
  const lines: string[] = []
  const { log: write, setLevel } = openLog((line) => lines.push(line), now)
  setLevel('debug')
  const log: OriginServices['log'] = (event, facts = {}) => {
    // Access lines are in `lines` only, because tests search `logs` for other events.
    if (!event.endsWith('.answered')) logs.push({ event, facts })
    counters.countEvent(event, facts)
    write(event, facts)
  }
  const mirror = new AccountsMirror({ chain, pollMs: 250, now, onFailure: () => {} })
  await mirror.start()
  const { db } = database
  const keyLimits = new UsageKeyLimits({ db, now })
  await keyLimits.syncTo(0)
  const keyRate = new KeyRate({ db, limits: keyLimits, now })
  const outcomeKey = keyring.outcomeKey()
  const processId = randomUUID()
  const payerKey = (n: number) => keyring.payerKey(n)
  const writer = new AccountsWriter({
    chain,
    mirror,
    db,
    processId,
    payerKey,
    payers: 2,
    finality: 2,
    now,
    log,
  })
  await writer.start()
  const claims = new RunClaims({ db, processId, outcomeKey, now })
  const keyConcurrency = new KeyConcurrency({
    db,
    processId,
    limits: keyLimits,
    now,
    onFailure: (error) => log('key_limits.failed', { error: String(error) }),
  })
  await claims.heartbeat()
  // Without heartbeats, the writer would lose its payers.
  const heartbeats = setInterval(() => void claims.heartbeat().catch(() => {}), HEARTBEAT_MS)
  const limits = { wallMs: 10_000, cpuMs: 1_000 }
  // Plenty, so that only tests about credit have to consider it. Those use `poor`.
  const starterCents = 100_000
  const credits = new Credits({
    db,
    processId,
    starterCents,
    now,
    log,
    monotonic: now,
    sleep: abortableSleep,
    newId: randomUUID,
  })
  const tee = new SimulatedProvider(
    root,
    { appCompose: simulatedAppCompose(undefined, 'local') },
    now,
  )
  const { compose_hash: composeHash } = await tee.info()
  const channel = keyring.channelKey(1)
  const storage = keyring.storageKey()
  const psk = randomBytes(32)
  const settings = parseSettings({
    SVC_ENV: 'local',
    SVC_TEE: 'simulated',
    SVC_PUBLIC_URL: 'https://origin.test',
    SVC_CHAIN_RPC: contract.rpcUrl,
    SVC_CONTRACT_ADDRESS: chain.contractAddress,
    SVC_CONTRACT_BLOCK: String(chain.contractBlock),
    SVC_CHANNEL_PSK: psk.toString('base64url'),
    DATABASE_URL: database.url,
    CHAINS: JSON.stringify({
      ethereum: {
        chain_id: Number(chain.chainId),
        rpc: [contract.rpcUrl],
        finality: 2,
        poll_ms: 200,
      },
    }),
    SVC_METRICS_TOKEN: METRICS_TOKEN,
    ...processor?.settings,
  })
  const chains = new ConfiguredChains(settings.CHAINS, {
    fetch: (url, init) => fetch(url, init),
    now,
    random: Math.random,
    log,
  })
  counters.startChains(chains.all())
  // The metrics show a node once it has responded.
  await chains.require('ethereum').provider.getBlockNumber()
  const build = readBuild('c'.repeat(40))
  const receipts = new ReceiptSigner({
    key: keyring.receiptKey(),
    composeHash,
    build,
    environment: settings.SVC_ENV,
    now,
  })
  const sourceCids = new SourceCids(now)
  const drain = new Drain()
  const policyDocuments = new PolicyDocuments({ db, now })
  const policySums = new PolicySums({ db, now, monotonic: () => performance.now(), log })
  const policySigner = new PolicySigner({
    keyring,
    documents: policyDocuments,
    sums: policySums,
    chainTime: () => mirror.current().chainTime,
    now,
    log,
  })
  const transactions = new Transactions({
    db,
    chains,
    signer: new RunTransactionSigner({ keyring, mirror, keyLimits, policySigner }),
    idKey: keyring.transactionIdKey(),
    processId,
    log,
    now,
    monotonic: () => performance.now(),
  })
  transactions.start()
  const executions = new Executions({
    policySigner,
    transactions,
    pool,
    sourceCids,
    keyring,
    claims,
    mirror,
    keyLimits,
    keyRate,
    keyConcurrency,
    credits,
    limits,
    receipts,
    drain,
    log,
  })

  const payments = startPayments({
    settings,
    chain,
    db,
    credits,
    starterCents,
    now,
    sleep: abortableSleep,
    log,
  })
  const receipt = keyring.receiptKey()
  const evidence = new Evidence({ tee, keys: { channel, epoch: 1, storage, receipt }, now, log })
  await evidence.make({
    domain: 'origin.test',
    chain: '-----BEGIN CERTIFICATE-----\n-----END CERTIFICATE-----\n',
    acmeAccount: '{"uri":"https://origin.test/acme/acct/1"}\n',
  })
  const broken = {
    isDatabaseAway: false,
    areExecutorsBroken: false,
    isGasBudgetLow: false,
    gasUsedRatio: undefined as number | undefined,
    delayMs: 0,
    certificateMs: 40 * DAY_MS,
  }
  const audit = new Audit({ db, log })
  const load = {
    maxDelayMs: 200,
    get delayMs() {
      return broken.delayMs
    },
  }
  const certificateEndsAt = () => now() + broken.certificateMs
  const newAccountLimits = new NewAccountLimits({
    db,
    now,
    log,
    hashKey: keyring.addressHashKey(),
    burst: 1_000,
    perHour: 1_000_000,
    gasPerDayWei: undefined,
    gasPrice: () => writer.gasPrice(),
  })
  const health = createHealth(counters.registry, {
    build,
    now,
    mirror,
    nodes: chain.nodes,
    chains,
    transactions,
    pool,
    writer,
    newAccountLimits: {
      get isGasBudgetLow() {
        return broken.isGasBudgetLow
      },
      get gasUsedRatio() {
        return broken.gasUsedRatio
      },
    },
    credits,
    audit,
    tee,
    evidence,
    payments,
    load,
    pollMs: 250,
    isDraining: () => drain.isDraining,
    isDatabaseAway: () => broken.isDatabaseAway,
    areExecutorsBroken: () => broken.areExecutorsBroken || pool.load().isBroken,
    certificateEndsAt,
    cpuPressure: () => 0,
  })
  const refusals = new Refusals({ db, now, newId: randomUUID, log })
  const services: OriginServices & {
    receipts: ReceiptSigner
    policySums: PolicySums
    keyConcurrency: KeyConcurrency
  } = {
    receipts,
    settings,
    log,
    counters,
    health,
    build,
    now,
    keyring,
    chain,
    mirror,
    writer,
    walletProofs: new WalletProofs({ chain, now }),
    conversionProofs: new ConversionProofs({ db, now }),
    accountEmails: new AccountEmails({ db, key: keyring.emailKey() }),
    claims,
    credits,
    processor: payments,
    executions,
    policySigner,
    storedResponses: new IdempotencyStore({
      db,
      processId,
      keys: keyring.idempotencyKeys(),
      now,
    }),
    keyUses: new KeyUses({ db, now }),
    keyLimits,
    keyRate,
    keyConcurrency,
    newAccountLimits,
    walletCalls: new WalletCallLimits({ db, now, hashKey: keyring.addressHashKey() }),
    // Requests must not be rejected on a busy machine. test/origin/http/shedding.test.ts tests the real implementation.
    load: { requireRoom: () => {} },
    drain,
    bodyBudgets: new BodyBudgets(memoryLimits(16 * 1024 ** 3).bodies),
    sourceCids,
    channel: {
      keys: { keyFor: (id) => (id === keyIdOf(channel.publicKey) ? channel : undefined), psk },
      current: channel,
      storage,
      storedKeys: new StoredUsageKeys(storage),
    },
    tee,
    evidence,
    freshQuotes: new FreshQuotes(tee, now),
    actionStatements: new ActionStatements({ keyring, composeHash, now }),
    policyDocuments,
    policySums,
    simulations: new AccountRate(SIMULATIONS_PER_MINUTE, now),
    limitChanges: new AccountRate(KEY_LIMIT_CHANGES_PER_MINUTE, now),
    transactions,
    transactionChains: chains,
    transactionDefaults: new AccountDefaults({ db, now }),
    transactionRate: new AccountRate(TRANSACTION_REQUESTS_PER_MINUTE, now),
    walletStatements: new WalletStatements({ keyring, composeHash, chain }),
    auditLog: new AuditLog({ db, keyring, composeHash, now }),
    refusals,
  }
  const app = createOriginApp(services)
  await pool.ready()

  return {
    ...originClient({ app, db, channel: services.channel, now }),
    app,
    clock,
    database,
    /** Faults that `/health` should report. */
    broken,
    logs,
    /** Log lines as written. */
    lines,
    pool,
    /** The pin by which a policy names the simulated root. */
    rootPin: simulatedPinOf(root),
    rpcUrl: contract.rpcUrl,
    services,
    /** An app in which every write fails. */
    appThatCannotWrite: (error: Error) => {
      const failing = {
        write: () => Promise.reject(error),
        mayBeRecorded: async () => false,
        isRecorded: async () => false,
        join: async () => undefined,
      } as unknown as AccountsWriter
      return createOriginApp({ ...services, writer: failing })
    },
    stopChain: contract.stop,
    close: async () => {
      payments?.stop()
      await refusals.close()
      clearInterval(heartbeats)
      await transactions.close()
      await writer.close()
      await mirror.close()
      chain.provider.destroy()
      chains.close()
      await Promise.all([pool.close(), sourceCids.close(), contract.close(), database.close()])
    },
  }
}
