/**
 * A line of a service's log, of either side: one JSON document with `level`, `time` (RFC 3339), `event` and the facts of the
 * event. A fact is an id, a count or the name of a failure: never a request, a body or a header. JSON writes a line break
 * as `\n`, so that no text can begin a line of its own.
 */
import type { ServiceLogLevel } from './levels.ts'
import { redacted, SECRET_NAMES, withoutSecrets } from './without-secrets.ts'

export type LogFacts = Record<string, string | number | boolean | undefined>

/** Facts that hold words of others: of a node, a library, a system call. The rest are ids and names of our own. */
const TEXTS = new Set(['reason', 'error', 'message', 'cause'])

/** More of a text is not read in a log. */
const TEXT_MAX_CHARACTERS = 600

/** The facts as they may be written: without what looks like a secret, and of a text only its beginning. */
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
