/**
 * The edge's log: lines of the same shape as the origin's, by the console that a Worker has. Facts are named one by one,
 * ids, counts and names of failures; a request, a token, a body or an address never is one.
 */
import {
  isWritten,
  LOG_LEVEL_DEFAULT,
  type LogLevelSetting,
  type ServiceLogLevel,
} from '../shared/service-log/levels.ts'
import { type LogFacts, serviceLogLine } from '../shared/service-log/line.ts'
import { EVENTS } from './log-events.ts'

const LEVELS: Readonly<Record<string, ServiceLogLevel>> = EVENTS

/** Writes an event of `log-events.ts`. @param env its `SVC_LOG_LEVEL` says what is left out */
export function logEvent(
  env: { SVC_LOG_LEVEL?: string | undefined },
  event: string,
  facts: LogFacts = {},
): void {
  const level = LEVELS[event] ?? 'warn'
  const setting = (env.SVC_LOG_LEVEL ?? LOG_LEVEL_DEFAULT) as LogLevelSetting
  if (isWritten(level, setting)) console[level](serviceLogLine(level, Date.now(), event, facts))
}
