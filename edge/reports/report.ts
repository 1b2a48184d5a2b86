import type { AlertSignal } from '../../shared/wire/alert.ts'
import type { PolledSignal } from '../../shared/wire/alert-signals.ts'
import type { ActivityReport } from './activity.ts'
import type { TriggerChangedReport } from '../audit-log/trigger-change.ts'

/**
 * Reports of triggers to the `UserReports` object of their owner (`docs/decisions/0127`). All times are in Unix
 * milliseconds.
 */

/** A run that failed after its last attempt. Test runs, cancelled runs and purged runs are not reported. */
export type FailedRunReport = {
  kind: 'run_failed'
  /** Run ID without the trigger ID. */
  suffix: string
  queuedAt: number
  finishedAt: number
  attempt: number
  error: FailureSummary
}

export type FailureSummary = {
  /** Error code, such as `action_threw` or `action_timeout`. */
  code: string
  /** The first characters of the message, without the stack trace. */
  message: string
  /** First line of the stack trace, without indentation. Null if there is no stack trace. */
  frame: string | null
}

/** A lasting problem of the trigger has begun, continues, or has ended. */
export type SignalReport = {
  kind: 'signal'
  signal: Exclude<AlertSignal, 'run_failed' | PolledSignal | SubjectSignal>
  state: 'open' | 'resolved'
  /** What a held trigger waits for, or why a schedule did not fire on time. */
  code: string | null
  /** A text of the service, such as the reason for disabling the trigger. */
  message: string | null
}

/** Signals about a subject that many triggers share, such as a chain. */
type SubjectSignal = 'chain_lagging' | 'evidence_changed'

/** A report about a subject that many triggers share. Not numbered, because repeating it is harmless. */
export type SubjectReport = {
  signal: SubjectSignal
  /** Name of the subject, such as a chain. */
  subject: string
  state: 'open' | 'resolved'
  code: string | null
  /** Text written by the service. */
  message: string | null
}

/** Reports that can open or close an incident. */
export type IncidentReport = FailedRunReport | SignalReport

export type Report = IncidentReport | TriggerChangedReport

/** Reports are numbered per trigger, in the order in which they were written. */
export type NumberedReport = { number: number; report: Report }

export type ReportBatch = {
  triggerId: string
  /**
   * Creation time of the trigger. The numbers start again if an operator creates a deleted trigger again from its
   * export.
   */
  epoch: number
  /** Current name of the trigger. */
  name: string
  /** In ascending order of their numbers. */
  reports: NumberedReport[]
  /** Absent if no report of the trigger's runs is due. */
  activity?: ActivityReport | undefined
}

export type ReportReceipt = {
  /** Highest sequence number of the trigger's runs that the receiver knows. Null without an activity. */
  knownThrough: number | null
}
