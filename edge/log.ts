/**
 * Writes log lines to the Worker's console, in the same format as the origin's log, and exports them to the collector. Facts are IDs, counts and names of
 * failures. Requests, tokens, bodies and addresses are never logged.
 */
import {
  isLogged,
  LOG_LEVEL_DEFAULT,
  type LogLevelSetting,
  type ServiceLogLevel,
} from '../shared/service-log/levels.ts'
import { type LogFields, serviceLogLine } from '../shared/service-log/line.ts'
import { telemetryOf } from './telemetry/telemetry.ts'
import { EVENTS } from './log-events.ts'

const LEVELS: Readonly<Record<string, ServiceLogLevel>> = EVENTS

export function logEvent(
  env: { SVC_LOG_LEVEL?: string | undefined; OTEL_EXPORTER_OTLP_ENDPOINT?: string | undefined },
  event: string,
  facts: LogFields = {},
): void {
  const level = LEVELS[event] ?? 'warn'
  const setting = (env.SVC_LOG_LEVEL ?? LOG_LEVEL_DEFAULT) as LogLevelSetting
  if (!isLogged(level, setting)) return
  const time = Date.now()
  console[level](serviceLogLine(level, time, event, facts))
  telemetryOf(env)?.addLog(level, time, event, facts)
}
