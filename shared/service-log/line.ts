/**
 * Formats log lines. A log line is JSON with `level`, `time` (RFC 3339), `event` and the event's facts. A fact is an
 * ID, a count or the name of a failure, never a request, body or header. JSON escapes line breaks, so that no text can
 * inject a log line.
 */
import type { ServiceLogLevel } from './levels.ts'
import { REDACTED_TEXT, SECRET_NAMES, redactSecrets } from './redact-secrets.ts'

export type LogFields = Record<string, string | number | boolean | undefined>

/**
 * Fields with text from others, such as a node, a library or a system call. All other fields are our own IDs and names.
 */
const FREE_TEXT_FIELDS = new Set(['reason', 'error', 'message', 'cause'])

const TEXT_MAX_CHARACTERS = 600

export function sanitizeFields(facts: LogFields): LogFields {
  const written: LogFields = {}
  for (const [name, value] of Object.entries(facts)) {
    if (SECRET_NAMES.has(name)) written[name] = REDACTED_TEXT
    else if (typeof value === 'string' && FREE_TEXT_FIELDS.has(name))
      written[name] = redactSecrets(value).slice(0, TEXT_MAX_CHARACTERS)
    else written[name] = value
  }
  return written
}

/** Formats a log line. @param time Unix milliseconds */
export function serviceLogLine(
  level: ServiceLogLevel,
  time: number,
  event: string,
  facts: LogFields,
): string {
  return JSON.stringify({
    level,
    time: new Date(time).toISOString(),
    event,
    ...sanitizeFields(facts),
  })
}
