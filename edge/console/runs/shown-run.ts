/** Run as its page shows it, with long values truncated. */
import type { LogLine } from '../../../shared/log-line.ts'
import type { RunRecord } from '../../../shared/wire/trigger.ts'
import { cutText, prettyJson, type Shown } from './pretty-json.ts'

export type ShownRun = Omit<RunRecord, 'input' | 'response' | 'error' | 'logs'> & {
  input: Shown
  /** Null unless the run has succeeded. */
  response: Shown | null
  error: Shown | null
  logs: LogLine[]
  logsAreCut: boolean
  event: ShownEvent | null
  /** Unverified claims of the receipt; null if there is no receipt or if it cannot be decoded. */
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

// An action may write up to 100 KiB of console output.
const LOG_LINES = 500
const LOG_CHARACTERS = 32 * 1024

// Number of event arguments, and characters per argument.
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
      // Shows at least the beginning of a long first line.
      if (kept.length === 0) kept.push({ ...line, text: line.text.slice(0, LOG_CHARACTERS) })
      break
    }
    kept.push(line)
  }
  return kept
}

function eventOf({ source, event }: Record<string, unknown>): ShownEvent | null {
  if (source !== 'chain_event' || typeof event !== 'object' || event === null) return null
  // The owner enters the event of a test run, so it can have any structure.
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

/** Does not verify the signature. A reader who needs proof must verify the receipt independently of our pages. */
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
