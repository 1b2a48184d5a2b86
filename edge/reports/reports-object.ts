import type { TriggerLogPage } from '../../shared/wire/trigger-log.ts'
import type { TriggerLogBounds } from '../audit-log/trigger-log.ts'
import type { ReplaysObject } from '../replays/replays-object.ts'
import type {
  AlertChannel,
  AlertDeliveriesQuery,
  AlertDeliveriesResponse,
  AlertDelivery,
  AlertSettingsChange,
  AlertSettingsRecord,
  IncidentsQuery,
  IncidentsResponse,
  TriggerAlertSettings,
  TriggerAlertSettingsChange,
} from '../../shared/wire/alert.ts'
import type {
  AlertChannelChange,
  AlertChannelRecord,
  AlertChannelWithSecret,
  NewAlertChannel,
} from '../../shared/wire/alert-channel.ts'
import type { ReportBatch, ReportReceipt, SubjectReport } from './report.ts'
import type { TriggerActivity } from './activity.ts'
import type { RunReferences, RunReferencesQuery } from './run-index.ts'

export interface ReportsObject extends ReplaysObject {
  /** Stores reports of a trigger. Idempotent: reports with known numbers are ignored. */
  report(batch: ReportBatch): Promise<ReportReceipt>
  /** Opens or resolves the incident of a subject that is not a trigger. Idempotent. */
  reportSubject(report: SubjectReport): Promise<void>
  /** Returns the latest activity of these triggers, by ID, or of all triggers. */
  triggerActivity(triggerIds?: readonly string[]): Promise<Record<string, TriggerActivity>>
  /** Returns references to runs of all triggers, newest first. */
  runReferences(query: RunReferencesQuery): Promise<RunReferences>
  /** Deletes everything that the object stores about a trigger. */
  forget(triggerId: string): Promise<void>
  /** Deletes everything. Called when an operator erases the user. */
  erase(): Promise<void>
  triggerLog(bounds: TriggerLogBounds): Promise<TriggerLogPage>
  alertSettings(): Promise<AlertSettingsRecord>
  changeAlertSettings(change: AlertSettingsChange): Promise<AlertSettingsRecord>
  /** The caller must have checked that the user owns the trigger. */
  changeTriggerAlerts(
    triggerId: string,
    change: TriggerAlertSettingsChange,
  ): Promise<TriggerAlertSettings>
  resetTriggerAlerts(triggerId: string): Promise<void>
  incidents(query: IncidentsQuery): Promise<IncidentsResponse>
  alertDeliveries(query: AlertDeliveriesQuery): Promise<AlertDeliveriesResponse>
  /** @returns `undefined` if this deployment cannot use the channel */
  testAlert(channel: AlertChannel): Promise<AlertDelivery | undefined>
  alertChannels(): Promise<AlertChannelRecord[]>
  /**
   * The caller must have checked the URL, and that the user owns the triggers.
   * @returns `undefined` if there are too many channels
   */
  createAlertChannel(channel: NewAlertChannel): Promise<AlertChannelWithSecret | undefined>
  /** The caller must have checked the URL, and that the user owns the triggers. */
  changeAlertChannel(
    id: number,
    change: AlertChannelChange,
  ): Promise<AlertChannelRecord | undefined>
  /** @returns `undefined` if there is no such webhook */
  rotateAlertSecret(id: number): Promise<AlertChannelWithSecret | undefined>
  deleteAlertChannel(id: number): Promise<boolean>
  testAlertChannel(id: number): Promise<AlertDelivery | undefined>
}
