/**
 * Structured log with one JSON document per line. The log contains only listed facts: IDs, counts and error names;
 * never requests, keys, bodies, parameters or action sources.
 */
import { pino } from 'pino'
import type { LogLevelSetting, ServiceLogLevel } from '../shared/service-log/levels.ts'
import { type LogFields, sanitizeFields } from '../shared/service-log/line.ts'
import { REDACTED_TEXT, SECRET_NAMES } from '../shared/service-log/redact-secrets.ts'
import { ORIGIN_EVENTS, type OriginEvent } from './log/events.ts'

export type OriginLog = (event: OriginEvent, facts?: LogFields) => void

/**
 * @param write receives complete lines, each with its line feed
 * @param onLogged receives the sanitized facts of each line
 * @param now Unix milliseconds
 */
export function openLog(
  write: (line: string) => void,
  now: () => number,
  onLogged?: (level: ServiceLogLevel, time: number, event: OriginEvent, fields: LogFields) => void,
): { log: OriginLog; setLevel: (level: LogLevelSetting) => void } {
  const logger = pino(
    {
      level: 'info',
      base: null,
      timestamp: () => `,"time":"${new Date(now()).toISOString()}"`,
      formatters: { level: (level) => ({ level }) },
      // A second line of defense after `sanitizeFields`.
      redact: { paths: [...SECRET_NAMES].map((name) => `["${name}"]`), censor: REDACTED_TEXT },
    },
    { write },
  )
  return {
    log: (event, facts = {}) => {
      const level = ORIGIN_EVENTS[event]
      if (!logger.isLevelEnabled(level)) return
      const fields = sanitizeFields(facts)
      logger[level]({ event, ...fields })
      onLogged?.(level, now(), event, fields)
    },
    setLevel: (level) => {
      logger.level = level
    },
  }
}

/** Omits the message, because it may quote input. */
export function errorTrace(error: unknown): string {
  if (!(error instanceof Error)) return typeof error
  const frames = (error.stack ?? '').split('\n').filter((line) => /^\s+at /.test(line))
  return [error.name, ...frames.slice(0, FRAMES_MAX).map((frame) => frame.trim())].join(' ')
}

/** Enough to find the line, and short enough for one log line. */
const FRAMES_MAX = 3
