import type { Registry } from 'prom-client'
import { type GaugeSources, registerGauges } from '../metrics/gauges.ts'
import { Health, type HealthSources } from './health.ts'

type HealthParts = Omit<GaugeSources, 'health' | 'evidenceMadeAt'> &
  Pick<
    HealthSources,
    | 'mirror'
    | 'pollMs'
    | 'isDraining'
    | 'isDatabaseAway'
    | 'areExecutorsBroken'
    | 'load'
    | 'certificateEndsAt'
  > & {
    writer: { isGasLow: boolean }
    newAccountLimits: { isGasBudgetLow: boolean }
    evidence: { isThere: boolean; madeAt: number | undefined }
    /** Undefined if payments are not accepted. */
    payments: { isAway(): boolean } | undefined
  }

export function createHealth(registry: Registry, parts: HealthParts): Health {
  const { writer, newAccountLimits, evidence, payments, audit } = parts
  const health = new Health({
    ...parts,
    isGasLow: () => writer.isGasLow,
    isGasBudgetLow: () => newAccountLimits.isGasBudgetLow,
    isEvidenceCurrent: () => evidence.isThere,
    isProcessorAway: () => payments?.isAway() ?? false,
    auditDifferences: () => audit.differences,
  })
  registerGauges(registry, { ...parts, health, evidenceMadeAt: () => evidence.madeAt })
  return health
}
