/**
 * A log line is JSON with `level`, `time` (RFC 3339), `event` and the event's facts. A fact is an ID, a count or the
 * name of a failure, never a request, body or header. JSON escapes line breaks, so that no text can inject a log line.
 */
import type { ServiceLogLevel } from './levels.ts'
import { redacted, SECRET_NAMES, withoutSecrets } from './without-secrets.ts'

export type LogFacts = Record<string, string | number | boolean | undefined>

/** Text from others, such as a node, a library or a system call. All other facts are our own IDs and names. */
const TEXTS = new Set(['reason', 'error', 'message', 'cause'])

/** Longer texts are truncated. */
const TEXT_MAX_CHARACTERS = 600

export function writable(facts: LogFacts): LogFacts {
  const written: LogFacts = {}
  for (const [name, value] of Object.entries(facts)) {
    if (SECRET_NAMES.has(name)) written[name] = redacted
    else if (typeof value === 'string' && TEXTS.has(name))
      written[name] = withoutSecrets(value).slice(0, TEXT_MAX_CHARACTERS)
    else written[name] = value
  }
  return written
}

/** @param time Unix milliseconds */
export function serviceLogLine(
  level: ServiceLogLevel,
  time: number,
  event: string,
  facts: LogFacts,
): string {
  return JSON.stringify({ level, time: new Date(time).toISOString(), event, ...writable(facts) })
}
