/**
 * Formats the log lines of both services. A line is a JSON document with `level`, `time` (RFC 3339), `event` and the
 * facts of the event. A fact is an ID, a count or the name of a failure, never a request, body or header. JSON escapes
 * line breaks, so that no text can inject a log line.
 */
import type { ServiceLogLevel } from './levels.ts'
import { redacted, SECRET_NAMES, withoutSecrets } from './without-secrets.ts'

export type LogFacts = Record<string, string | number | boolean | undefined>

/**
 * Names of facts that contain text from others, such as a node, a library or a system call. All other facts are IDs and
 * names of our own.
 */
const TEXTS = new Set(['reason', 'error', 'message', 'cause'])

/** Maximum length of a text in a log line, in characters. Longer texts are truncated. */
const TEXT_MAX_CHARACTERS = 600

/** Redacts secrets in the facts of a log line, and truncates long texts. */
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

/**
 * Formats a log line as JSON.
 * @param time Unix milliseconds
 */
export function serviceLogLine(
  level: ServiceLogLevel,
  time: number,
  event: string,
  facts: LogFacts,
): string {
  return JSON.stringify({ level, time: new Date(time).toISOString(), event, ...writable(facts) })
}
