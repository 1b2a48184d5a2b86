/** Metrics that are read on request, from memory and without calls to the chain or database. */
import { collectDefaultMetrics, Gauge, type Registry } from 'prom-client'
import type { AccountsMirror } from '../accounts/mirror.ts'
import type { AccountsWriter } from '../accounts/writer.ts'
import type { ActionPool } from '../actions/run.ts'
import type { Audit } from '../credits/audit.ts'
import type { Credits } from '../credits/credits.ts'
import type { Health } from '../health/health.ts'
import { REASONS } from '../health/reasons.ts'
import type { TeeProvider } from '../tee/provider.ts'

export type KnownState = {
  now: () => number
  mirror: Pick<AccountsMirror, 'block' | 'ageMs' | 'lagBlocks' | 'accounts'>
  pool: Pick<ActionPool, 'load'>
  writer: Pick<AccountsWriter, 'waiting' | 'unmined' | 'payerBalances'>
  credits: Pick<Credits, 'leases' | 'unsettledCents' | 'unsettledMs'>
  audit: Pick<Audit, 'differences'>
  health: Health
  tee: Pick<TeeProvider, 'collateralAt'>
  /** Unix milliseconds; undefined before the evidence is first made. */
  evidenceMadeAt: () => number | undefined
  /** Unix milliseconds. */
  certificateEndsAt: () => number
  load: { delayMs: number }
  /** Percent; undefined if the system does not provide it. */
  cpuPressure: () => number | undefined
}

const WEI_PER_ETHER = 1e18

export function observe(registry: Registry, known: KnownState): void {
  collectDefaultMetrics({ register: registry })
  /** @param read undefined if the value is currently unknown; the gauge is then omitted */
  const gauge = (name: string, help: string, read: () => number | undefined) => {
    const made = new Gauge({
      name,
      help,
      registers: [],
      collect() {
        this.remove()
        const value = read()
        if (value !== undefined) this.set(value)
      },
    })
    registry.registerMetric(made)
  }
  const labelled = (
    name: string,
    help: string,
    label: string,
    read: () => Iterable<readonly [string, number]>,
  ) => {
    const made = new Gauge({
      name,
      help,
      labelNames: [label],
      registers: [],
      collect() {
        this.reset()
        for (const [value, number] of read()) this.set({ [label]: value }, number)
      },
    })
    registry.registerMetric(made)
  }
  const secondsSince = (at: number | undefined) =>
    at === undefined ? undefined : (known.now() - at) / 1000

  const { mirror, pool, writer, credits, audit, health, load } = known
  gauge('svc_mirror_block', 'The block that permissions are read as of.', () => mirror.block)
  gauge('svc_mirror_lag_blocks', 'Blocks from there to the head.', () => mirror.lagBlocks)
  gauge(
    'svc_mirror_age_seconds',
    'Since the chain last showed its head; from 30 on nothing is answered by it.',
    () => mirror.ageMs / 1000,
  )
  gauge('svc_accounts', 'Accounts in the mirror.', () => mirror.accounts)
  labelled('svc_executors', 'Executors, by what they do.', 'state', () => {
    const { starting, free, busy } = pool.load()
    return Object.entries({ starting, free, busy })
  })
  gauge('svc_runs_waiting', 'Runs that wait for an executor.', () => pool.load().waiting)
  gauge('svc_writes_waiting', 'Writes that are not answered yet.', () => writer.waiting)
  gauge(
    'svc_writes_unmined',
    'The outbox: transactions that are sent and in no block yet.',
    () => writer.unmined,
  )
  labelled(
    'svc_payer_balance_ether',
    'What the payers that this process holds have left, by their numbers; 0 funds the others.',
    'payer',
    () =>
      writer
        .payerBalances()
        .map(({ number, wei }) => [String(number), Number(wei) / WEI_PER_ETHER]),
  )
  gauge('svc_credit_leases', 'Accounts whose credit this process leases.', () => credits.leases)
  gauge(
    'svc_credit_unsettled_cents',
    'Charged, and in no order to the ledger yet: lost to the operator with this process.',
    () => credits.unsettledCents,
  )
  gauge(
    'svc_credit_settlement_lag_seconds',
    'Since the oldest charge that the ledger has not.',
    () => credits.unsettledMs / 1000,
  )
  gauge(
    'svc_credit_audit_differences',
    'Accounts whose books did not agree at the last audit.',
    () => audit.differences,
  )
  gauge(
    'svc_certificate_seconds_left',
    'Until the certificate that is served runs out.',
    () => (known.certificateEndsAt() - known.now()) / 1000,
  )
  gauge(
    'svc_evidence_age_seconds',
    'Since the evidence was made; a day’s is the next day’s old.',
    () => secondsSince(known.evidenceMadeAt()),
  )
  gauge('svc_collateral_age_seconds', 'Since the platform’s collateral was had.', () =>
    secondsSince(known.tee.collateralAt),
  )
  gauge(
    'svc_event_loop_delay_seconds',
    'How late the event loop was in the last second, the median: what requests are shed by.',
    () => load.delayMs / 1000,
  )
  gauge(
    'svc_cpu_pressure_percent',
    'Time in which something waits for a processor.',
    known.cpuPressure,
  )
  labelled('svc_health_reason', '1 for each reason that /health gives now.', 'code', () => {
    const given = new Set(health.look().reasons.map(({ code }) => code))
    return REASONS.map((code) => [code, given.has(code) ? 1 : 0])
  })
}
