/** What the tests of the edge and the origin's double say to each other. */
import type { Outcome } from '../../shared/wire/outcome.ts'

/** What one `/sealed/execute` of a run meets; the last step stays. */
export type Step =
  | { refuse: { status: number; error: string; reason?: string; retry_after_s?: number } }
  /** The connection breaks; with `ran` the run was executed before it did. */
  | { break: true; ran?: Outcome }
  /** An answer in the clear, as a proxy between would give. */
  | { unsealed: number }
  | { outcome: Outcome; after_ms?: number }

export type Script = { steps: Step[] }

/** What the origin was asked for a run. */
export type Seen = {
  runId: string
  attempt: number
  /** The edge would have a lost run executed again. */
  retryLost: boolean
  at: number
  usageKey: string
  params: unknown
}
