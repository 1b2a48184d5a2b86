/** Converts a run to the form that its page shows, with long values truncated. */
import type { LogLine } from '../../../shared/log-line.ts'
import type { RunRecord } from '../../../shared/wire/trigger.ts'
import { cutText, prettyJson, type Shown } from './pretty-json.ts'

export type ShownRun = Omit<RunRecord, 'input' | 'response' | 'error' | 'logs'> & {
  input: Shown
  /** Response of the action; null unless the run has succeeded. */
  response: Shown | null
  error: Shown | null
  logs: LogLine[]
  logsAreCut: boolean
  event: ShownEvent | null
  /** Unverified claims of the run's receipt; null if there is no receipt or if it cannot be decoded. */
  claims: [name: string, value: string][] | null
}

/** Chain log that started the run. */
export type ShownEvent = {
  chain: string
  block: string
  transaction: string
  contract: string
  signature: string
  decode: string
  decoded: [name: string, value: string][]
}

// Limits for the console output on a page, in lines and characters. An action may write up to 100 KiB.
const LOG_LINES = 500
const LOG_CHARACTERS = 32 * 1024

// Limits for the event arguments on a page: the number of arguments, and the characters per argument.
const ARGUMENTS = 32
const ARGUMENT_CHARACTERS = 500

export function shownRun(run: RunRecord): ShownRun {
  const { input, response, error, logs, ...rest } = run
  const kept = keptLogs(logs)
  return {
    ...rest,
    input: prettyJson(input),
    response: run.status === 'success' ? prettyJson(response) : null,
    error: error === null ? null : cutText(error),
    logs: kept,
    logsAreCut: kept.length < logs.length,
    event: eventOf(input),
    claims: run.receipt === null ? null : claimsOf(run.receipt),
  }
}

function keptLogs(logs: readonly LogLine[]): LogLine[] {
  const kept: LogLine[] = []
  let characters = 0
  for (const line of logs.slice(0, LOG_LINES)) {
    characters += line.text.length
    if (characters > LOG_CHARACTERS) {
      // If the first line is too long, at least its beginning is shown.
      if (kept.length === 0) kept.push({ ...line, text: line.text.slice(0, LOG_CHARACTERS) })
      break
    }
    kept.push(line)
  }
  return kept
}

function eventOf({ source, event }: Record<string, unknown>): ShownEvent | null {
  if (source !== 'chain_event' || typeof event !== 'object' || event === null) return null
  // The event of a test run is entered by the owner, and can have any structure.
  const said = (name: string) => textOf(Reflect.get(event, name))
  const decoded: unknown = Reflect.get(event, 'decoded')
  return {
    chain: said('chain'),
    block: said('block_number'),
    transaction: said('transaction_hash'),
    contract: said('contract_address'),
    signature: said('event_signature'),
    decode: said('decode'),
    decoded:
      typeof decoded === 'object' && decoded !== null
        ? Object.entries(decoded)
            .slice(0, ARGUMENTS)
            .map(([name, value]) => [name, textOf(value)])
        : [],
  }
}

function textOf(value: unknown): string {
  if (value === undefined) return ''
  const text = typeof value === 'string' ? value : prettyJson(value, ARGUMENT_CHARACTERS).text
  return text.slice(0, ARGUMENT_CHARACTERS)
}

/**
 * Decodes the payload of a receipt (a JWS) without verifying the signature. A reader who needs proof must verify the
 * receipt independently of our pages.
 */
function claimsOf(receipt: string): [string, string][] | null {
  try {
    const payload = receipt.split('.')[1]!.replaceAll('-', '+').replaceAll('_', '/')
    const bytes = Uint8Array.from(atob(payload), (character) => character.charCodeAt(0))
    const claims = JSON.parse(new TextDecoder().decode(bytes)) as Record<string, unknown>
    return Object.entries(claims).map(([name, value]) => [name, textOf(value)])
  } catch {
    return null
  }
}
