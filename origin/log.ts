/**
 * The origin's log: an event's name and its facts, one JSON document a line. Facts are named one by one, ids, counts and
 * names of failures; a request, a key, a body, a parameter or an action's text never is one.
 */
import { pino } from 'pino'
import type { LogLevelSetting } from '../shared/service-log/levels.ts'
import { type LogFacts, writable } from '../shared/service-log/line.ts'
import { redacted, SECRET_NAMES } from '../shared/service-log/without-secrets.ts'
import { EVENTS, type OriginEvent } from './log/events.ts'

export type Log = (event: OriginEvent, facts?: LogFacts) => void

export type OpenLog = {
  log: Log
  /** From now on nothing below this level is written. */
  setLevel: (level: LogLevelSetting) => void
}

/**
 * @param write takes whole lines, each with its line feed
 * @param now Unix milliseconds
 */
export function openLog(write: (line: string) => void, now: () => number): OpenLog {
  const logger = pino(
    {
      level: 'info',
      base: null,
      timestamp: () => `,"time":"${new Date(now()).toISOString()}"`,
      formatters: { level: (level) => ({ level }) },
      // What `writable` has done already, once more, by the library's own hand.
      redact: { paths: [...SECRET_NAMES].map((name) => `["${name}"]`), censor: redacted },
    },
    { write },
  )
  return {
    log: (event, facts = {}) => {
      const level = EVENTS[event]
      if (logger.isLevelEnabled(level)) logger[level]({ event, ...writable(facts) })
    },
    setLevel: (level) => {
      logger.level = level
    },
  }
}

/**
 * What a log may say of an error that nobody expected: its class and where it was thrown. Not its message, which
 * may quote what was sent.
 */
export function traceOf(error: unknown): string {
  if (!(error instanceof Error)) return typeof error
  const frames = (error.stack ?? '').split('\n').filter((line) => /^\s+at /.test(line))
  return [error.name, ...frames.slice(0, FRAMES).map((frame) => frame.trim())].join(' ')
}

/** Enough to find the line, and few enough for one line of log. */
const FRAMES = 3
