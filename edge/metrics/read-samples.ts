import type { Env, Settings } from '../env.ts'
import { withComponentTimeout, reasonsOf, type HealthSnapshot } from '../health/edge-health.ts'
import { type HealthSnapshotDeps, readHealthSnapshot } from '../health/health-snapshot.ts'
import { REASONS } from '../health/reasons.ts'
import { METRICS_OBJECT } from './counts.ts'
import type { Sample } from './exposition.ts'
import { seriesOf } from './series.ts'
import type { MetricName } from './definitions.ts'
import { buildOf } from '../version.ts'

type SampleDeps = HealthSnapshotDeps & { settings: Pick<Settings, 'SVC_COMMIT'> }

/** Components that do not respond are omitted. */
export async function readSamples(env: Env, deps: SampleDeps): Promise<Sample[]> {
  const [counted, snapshot] = await Promise.all([
    withComponentTimeout(env.EDGE_METRICS.getByName(METRICS_OBJECT).read()),
    readHealthSnapshot(env, deps),
  ])
  return [
    ...(counted ?? []),
    gauge('svc_edge_build_info', 1, buildOf(deps.settings)),
    ...gaugesOf(snapshot, deps.now()),
  ]
}

function gauge(name: MetricName, value: number, labels: Record<string, string> = {}): Sample {
  return [seriesOf(name, labels), value]
}

export function* gaugesOf(snapshot: HealthSnapshot, now: number): Iterable<Sample> {
  const { origin, scan, chains } = snapshot
  if (scan?.endedAt !== undefined)
    yield gauge('svc_edge_scan_age_seconds', Math.max(0, now - scan.endedAt) / 1000)
  if (scan) {
    yield gauge('svc_edge_scan_late_ticks', scan.late)
    yield gauge('svc_edge_scan_unanswered', scan.unanswered)
  }
  for (const { chain, watching, head, lag_blocks, answered_at, rpc } of chains) {
    const chainLabel = { chain }
    yield gauge('svc_edge_chain_watching', watching === true ? 1 : 0, chainLabel)
    if (head !== null) yield gauge('svc_edge_chain_head', head, chainLabel)
    if (lag_blocks !== null) yield gauge('svc_edge_chain_lag_blocks', lag_blocks, chainLabel)
    if (answered_at !== null) {
      const age = Math.max(0, now - Date.parse(answered_at)) / 1000
      yield gauge('svc_edge_chain_answer_age_seconds', age, chainLabel)
    }
    const states = new Map<string, number>()
    for (const { state } of rpc) states.set(state, (states.get(state) ?? 0) + 1)
    for (const [state, number] of states)
      yield gauge('svc_edge_chain_endpoints', number, { ...chainLabel, state })
  }
  const until = origin.verified_until === null ? now : Date.parse(origin.verified_until)
  yield gauge('svc_edge_origin_verified_seconds_left', Math.max(0, until - now) / 1000)
  const activeCodes = new Set(reasonsOf(snapshot, now).map(({ code }) => code))
  for (const code of REASONS)
    yield gauge('svc_edge_health_reason', activeCodes.has(code) ? 1 : 0, { code })
}
