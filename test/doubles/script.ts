/** Messages between the edge tests and the origin double. */
import type { LogLine } from '../../shared/wire/log-line.ts'
import type { Outcome } from '../../shared/wire/outcome.ts'

/** Response to one request for a run; the last step repeats. */
export type Step =
  | {
      refuse: { status: number; error: string; reason?: string; retry_after_s?: number }
      /** Refuses all runs of the request, in a message without a run ID. */
      isForAll?: true
    }
  /** Ends the response before this run is answered. */
  | { unanswered: true }
  /** Breaks the connection; with `ran`, after the run was executed. */
  | { break: true; ran?: Outcome }
  /** An unsealed response, as from a proxy in between. */
  | { unsealed: number }
  /** `prints` is the output while the run is in progress. */
  | { outcome: Outcome; after_ms?: number; prints?: LogLine[] }

type Script = { steps: Step[] }

/** Returns the source of an action that the origin double plays. It compiles, because the edge checks that. */
export const scriptSource = (steps: readonly Step[]): string => `(${JSON.stringify({ steps })})`

/** Triggers that the previous version recorded have the script without the parentheses. */
export const parseScript = (source: string): Script =>
  JSON.parse(source.startsWith('(') ? source.slice(1, -1) : source) as Script

/** An execution request that the origin received. */
export type Seen = {
  runId: string
  attempt: number
  /** The edge requests that a lost run is executed again. */
  retryLost: boolean
  at: number
  usageKey: string
  /** `traceparent` of the edge's span. */
  trace?: string | undefined
  params: unknown
}
