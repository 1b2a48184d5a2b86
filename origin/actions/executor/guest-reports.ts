import { RESULT_MAX_BYTES } from '../../../shared/limits.ts'
import type { Failure } from '../failure.ts'
import { LOG_LEVELS, type LogLine } from '../../../shared/log-line.ts'
import type { KeyOperation } from '../run.ts'

/** How a run ends: the returned value as JSON text, or why there is none. */
export type Ending = { value: string } | { failure: Failure }

export function returned(json: string): Ending {
  const bytes = Buffer.byteLength(json)
  if (bytes <= RESULT_MAX_BYTES) return { value: json }
  const message = `the returned value is ${bytes} bytes of JSON; the limit is ${RESULT_MAX_BYTES}`
  return { failure: { code: 'result_too_large', message, stack: message } }
}

export function logLevel(level: string): LogLine['level'] {
  return LOG_LEVELS.find((known) => known === level) ?? 'log'
}

/** An operation that only the process with the keys can answer; what is in it is checked there. */
export function keyOperation(name: string, argument: unknown): KeyOperation | undefined {
  switch (name) {
    case 'getPrivateKey':
      return { name, pkpId: field(argument, 'pkpId') }
    case 'getSvcActionPrivateKey':
      return { name }
    case 'getSvcActionPublicKey':
    case 'getSvcActionWalletAddress':
      return { name, ipfsId: field(argument, 'ipfsId') }
    default:
      return undefined
  }
}

function field(argument: unknown, name: string): string {
  const value: unknown = Object(argument)[name]
  return typeof value === 'string' ? value : ''
}
