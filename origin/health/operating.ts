import type { Registry } from 'prom-client'
import { type KnownState, observe } from '../metrics/gauges.ts'
import { Health, type HealthSources } from './health.ts'

type Parts = Omit<KnownState, 'health' | 'evidenceMadeAt'> &
  Pick<
    HealthSources,
    'mirror' | 'pollMs' | 'isDatabaseAway' | 'areExecutorsBroken' | 'load' | 'certificateEndsAt'
  > & {
    writer: { isGasLow: boolean }
    evidence: { isThere: boolean; madeAt: number | undefined }
    /** Undefined if payments are not accepted. */
    payments: { isAway(): boolean } | undefined
  }

export function operating(registry: Registry, parts: Parts): Health {
  const { writer, evidence, payments, audit } = parts
  const health = new Health({
    ...parts,
    isGasLow: () => writer.isGasLow,
    isEvidenceThere: () => evidence.isThere,
    isProcessorAway: () => payments?.isAway() ?? false,
    auditDifferences: () => audit.differences,
  })
  observe(registry, { ...parts, health, evidenceMadeAt: () => evidence.madeAt })
  return health
}
