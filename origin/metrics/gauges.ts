/** Metrics that are computed on request, from memory and without calls to the chain or database. */
import { collectDefaultMetrics, Gauge, type Registry } from 'prom-client'
import type { AccountsMirror } from '../accounts/mirror.ts'
import type { ChainNodes } from '../accounts/nodes/chain-nodes.ts'
import type { AccountsWriter } from '../accounts/writer.ts'
import type { ActionPool } from '../actions/run.ts'
import type { NewAccountLimits } from '../admission/new-account-limits.ts'
import type { Audit } from '../credits/audit.ts'
import type { Credits } from '../credits/credits.ts'
import type { Health } from '../health/health.ts'
import { HEALTH_REASON_CODES } from '../health/reasons.ts'
import type { TeeProvider } from '../tee/provider.ts'
import type { Build } from '../version.ts'
import { collectGauge } from './collected.ts'
import { registerNodeMetrics } from './node-metrics.ts'
import { registerTransactionGauges, type TransactionSources } from './transaction-gauges.ts'

export type GaugeSources = TransactionSources & {
  build: Build
  mirror: Pick<AccountsMirror, 'block' | 'ageMs' | 'lagBlocks' | 'accounts'>
  /** Nodes of the accounts' chain. */
  nodes: Pick<ChainNodes, 'status'>
  pool: Pick<ActionPool, 'load'>
  writer: Pick<AccountsWriter, 'waiting' | 'unmined' | 'payerBalances'>
  newAccountLimits: Pick<NewAccountLimits, 'gasUsedRatio'>
  credits: Pick<Credits, 'leases' | 'unsettledCents' | 'unsettledMs'>
  audit: Pick<Audit, 'differences'>
  health: Health
  tee: Pick<TeeProvider, 'collateralAt'>
  /** In Unix milliseconds; undefined before the evidence is first created. */
  evidenceMadeAt: () => number | undefined
  /** Unix milliseconds. */
  certificateEndsAt: () => number
  load: { delayMs: number }
  /** In percent; undefined if the system does not report it. */
  cpuPressure: () => number | undefined
}

const WEI_PER_ETHER = 1e18

export function registerGauges(registry: Registry, sources: GaugeSources): void {
  collectDefaultMetrics({ register: registry })
  new Gauge({
    name: 'svc_build_info',
    help: 'Always 1; the labels contain the version and the commit of the software.',
    labelNames: ['version', 'commit'],
    registers: [registry],
  }).set(sources.build, 1)
  /** @param read returns undefined if the value is unknown; the gauge is then omitted */
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
  const labeledGauge = (
    name: string,
    help: string,
    label: string,
    read: () => Iterable<readonly [string, number]>,
  ) =>
    collectGauge(registry, { name, help, labelNames: [label] }, () =>
      [...read()].map(([value, number]) => [{ [label]: value }, number] as const),
    )
  const secondsSince = (at: number | undefined) =>
    at === undefined ? undefined : (sources.now() - at) / 1000

  const { mirror, nodes, pool, writer, credits, audit, health, load } = sources
  gauge(
    'svc_mirror_block',
    'Block up to which the mirror has read permissions.',
    () => mirror.block,
  )
  gauge('svc_mirror_lag_blocks', 'Blocks between the mirror and the head.', () => mirror.lagBlocks)
  gauge(
    'svc_mirror_age_seconds',
    'Time since the nodes last agreed about the head; from 30 on, permissions are considered stale.',
    () => mirror.ageMs / 1000,
  )
  registerNodeMetrics(registry, 'svc_chain_node', 'accounts’ chain', [], () => [
    { labels: {}, nodes: nodes.status() },
  ])
  registerTransactionGauges(registry, sources)
  gauge('svc_accounts', 'Accounts in the mirror.', () => mirror.accounts)
  labeledGauge('svc_executors', 'Executors by state.', 'state', () => {
    const { starting, free, busy } = pool.load()
    return Object.entries({ starting, free, busy })
  })
  gauge('svc_runs_waiting', 'Runs waiting for an executor.', () => pool.load().waiting)
  gauge('svc_writes_waiting', 'Writes without a result yet.', () => writer.waiting)
  gauge(
    'svc_writes_unmined',
    'Transactions in the outbox that are sent but not mined yet.',
    () => writer.unmined,
  )
  labeledGauge(
    'svc_payer_balance_ether',
    'Balances of the payers that this process holds, by payer number; payer 0 funds the others.',
    'payer',
    () =>
      writer
        .payerBalances()
        .map(({ number, wei }) => [String(number), Number(wei) / WEI_PER_ETHER]),
  )
  gauge(
    'svc_gas_budget_used_ratio',
    'Used share of today’s gas budget for new accounts and conversions; 1 if it is exhausted.',
    () => sources.newAccountLimits.gasUsedRatio,
  )
  gauge('svc_credit_leases', 'Accounts whose credits this process leases.', () => credits.leases)
  gauge(
    'svc_credit_unsettled_cents',
    'Cents charged but not yet sent to the ledger; the operator loses them if this process dies.',
    () => credits.unsettledCents,
  )
  gauge(
    'svc_credit_settlement_lag_seconds',
    'Age of the oldest charge that is not in the ledger yet.',
    () => credits.unsettledMs / 1000,
  )
  gauge(
    'svc_credit_audit_differences',
    'Accounts with inconsistent books at the last audit.',
    () => audit.differences,
  )
  gauge(
    'svc_certificate_seconds_left',
    'Time until the served certificate expires.',
    () => (sources.certificateEndsAt() - sources.now()) / 1000,
  )
  gauge(
    'svc_evidence_age_seconds',
    'Age of the attestation evidence, which is renewed daily.',
    () => secondsSince(sources.evidenceMadeAt()),
  )
  gauge('svc_collateral_age_seconds', 'Age of the platform’s collateral.', () =>
    secondsSince(sources.tee.collateralAt),
  )
  gauge(
    'svc_event_loop_delay_seconds',
    'Median event loop delay over the last second, which triggers load shedding.',
    () => load.delayMs / 1000,
  )
  gauge(
    'svc_cpu_pressure_percent',
    'Share of time in which a task waits for a processor.',
    sources.cpuPressure,
  )
  labeledGauge(
    'svc_health_reason',
    '1 for each reason that /health currently reports.',
    'code',
    () => {
      const given = new Set(health.check().reasons.map(({ code }) => code))
      return HEALTH_REASON_CODES.map((code) => [code, given.has(code) ? 1 : 0])
    },
  )
}
