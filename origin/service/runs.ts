import { setTimeout as sleep } from 'node:timers/promises'
import { ownServices } from '../actions/outbound/policy.ts'
import { createActionPool } from '../actions/pool.ts'
import type { TemplateFile } from '../actions/pool/template.ts'
import type { ActionPool } from '../actions/run.ts'
import { SourceCids } from '../actions/source-cid/source-cids.ts'
import { CpuPressure } from '../admission/cpu-pressure.ts'
import type { Database } from '../db/open.ts'
import { errorTrace } from '../log.ts'
import { ReceiptSigner } from '../receipts/receipt-signer.ts'
import { backlogDelay } from '../runs/backlog-delay.ts'
import { HEARTBEAT_MS, RunClaims } from '../runs/claims.ts'
import { Executions } from '../runs/executions.ts'
import type { RunKey } from '../runs/outcome-codec.ts'
import type { OriginProcess, OriginServices } from '../services.ts'
import { KeyConcurrency } from '../usage-keys/key-concurrency.ts'

/**
 * Starts the executors in parallel with the rest of the service. The caller must await `ready` before accepting runs.
 */
export function startSandbox(origin: OriginProcess, template: Promise<TemplateFile>) {
  const { settings, lifecycle, counters } = origin
  const pressure = new CpuPressure(settings.SVC_SHED_CPU_PRESSURE)
  lifecycle.onClose('pressure', () => pressure.close())
  const { SVC_PUBLIC_URL, DATABASE_URL, SVC_PROCESSOR_URL, SVC_LOG_SINK } = settings
  const { OTEL_EXPORTER_OTLP_ENDPOINT } = settings
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
          SVC_PUBLIC_URL,
          DATABASE_URL,
          SVC_PROCESSOR_URL,
          SVC_LOG_SINK,
          OTEL_EXPORTER_OTLP_ENDPOINT,
        ]),
      ],
    },
  })
  lifecycle.onClose('actions', () => pool.close())
  return { pressure, pool, ready: pool.ready() }
}

export async function startRuns(
  origin: OriginProcess,
  db: Database,
  parts: { pool: ActionPool } & Pick<
    OriginServices,
    'mirror' | 'keyLimits' | 'keyRate' | 'credits' | 'policySigner' | 'transactions'
  >,
) {
  const { settings, keyring, composeHash, build, lifecycle, drain } = origin
  const { processId, predecessor, now, log } = origin
  const outcomeKey = keyring.outcomeKey()
  const claims = new RunClaims({
    db,
    processId,
    predecessor,
    outcomeKey,
    now,
    outcomeDelay: backlogDelay(parts.pool, sleep),
  })
  await claims.heartbeat()
  const lost = await claims.reap()
  if (lost > 0) log('claims.reaped', { lost })
  const sourceCids = new SourceCids(now)
  lifecycle.onClose('source cids', () => sourceCids.close())
  const executions = new Executions({
    ...parts,
    keyConcurrency: new KeyConcurrency({
      db,
      processId,
      limits: parts.keyLimits,
      now,
      onFailure: (error) => log('key_limits.failed', { error: String(error) }),
    }),
    sourceCids,
    keyring,
    claims,
    limits: { wallMs: settings.SVC_EXECUTION_WALL_MS, cpuMs: settings.SVC_EXECUTION_CPU_MS },
    receipts: new ReceiptSigner({
      key: keyring.receiptKey(),
      composeHash,
      build,
      environment: settings.SVC_ENV,
      now,
    }),
    drain,
    log,
  })

  const isInFlight = (run: RunKey) => executions.isInFlight(run)
  let isDatabaseAway = false
  const maintainClaims = async () => {
    try {
      await claims.heartbeat()
      await claims.reap()
      await claims.releaseAbandoned(isInFlight)
      await claims.deleteExpired()
      isDatabaseAway = false
    } catch (error) {
      isDatabaseAway = true
      log('claims.failed', { cause: errorTrace(error) })
    }
  }
  const timer = setInterval(() => void maintainClaims(), HEARTBEAT_MS)
  lifecycle.onClose('claims', async () => {
    clearInterval(timer)
    await claims.releaseAbandoned(isInFlight, 0)
    await claims.endHeartbeat()
  })
  return { claims, sourceCids, executions, isDatabaseAway: () => isDatabaseAway }
}
