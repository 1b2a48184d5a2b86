/** Maps errors to exit codes and messages. No other module does so. */
import { CommanderError } from 'commander'
import { ActionBuildError } from '../build/action-build-error.ts'
import { SvcError } from '../client/failures/svc-error.ts'
import type { ActionFailed } from '../client/failures/action-failed.ts'
import { EXIT, NoCredentialError, printable, UsageError } from './terminal.ts'

type CommandFailure = {
  code: number
  output: {
    error: string
    message: string
    fix: string
    status?: number
    request_id?: string
    stack?: string
    logs?: string
  }
}

/** Codes of client errors about a missing or invalid credential, which occur before anything is sent. */
const WITHOUT_CREDENTIAL = new Set(['no_api_key', 'no_token', 'bad_credential'])
const UNAVAILABLE_CODES = new Set(['network_failed', 'not_the_api', 'evidence_unavailable'])

/** Undefined for an internal error. */
export function failureOf(error: unknown): CommandFailure | undefined {
  if (error instanceof UsageError || error instanceof CommanderError) {
    const fix = 'See --help of the command.'
    return { code: EXIT.usage, output: { error: 'usage', message: error.message, fix } }
  }
  if (error instanceof NoCredentialError) {
    const { message, fix } = error
    return { code: EXIT.unauthorized, output: { error: 'no_credential', message, fix } }
  }
  if (error instanceof ActionBuildError) {
    const fix = 'Nothing was sent.'
    return { code: EXIT.usage, output: { error: 'build_failed', message: error.message, fix } }
  }
  if (error instanceof SvcError) return serviceFailure(error)
  return undefined
}

function serviceFailure(error: SvcError): CommandFailure {
  const { name, message, status, requestId } = error
  const isUnknown = name === 'NetworkFailed' && Reflect.get(error, 'idempotencyKey') !== undefined
  const output = {
    error: error.code,
    message,
    fix: isUnknown ? CHECK_FIRST_FIX : error.fix,
    ...(status !== undefined && { status }),
    ...(requestId !== undefined && { request_id: requestId }),
    ...(hasRun(error) && { stack: error.actionStack, logs: error.logs }),
  }
  return { code: exitOf(error), output }
}

/**
 * Advice after an unknown outcome. It replaces the client's advice to retry with the same idempotency key, because a
 * new command does not have that key.
 */
const CHECK_FIRST_FIX = 'Check whether it took effect before you run the command again.'

/** Checks an error's name instead of its class, so that commands that do not run actions need not load the class. */
const hasRun = (error: SvcError): error is ActionFailed => error.name === 'ActionFailed'

function exitOf(error: SvcError): number {
  const { name, code, status } = error
  // The action itself failed. The status of 500 does not mean that the service failed.
  if (hasRun(error)) return EXIT.failed
  if (UNAVAILABLE_CODES.has(code)) return EXIT.unavailable
  if (name === 'NotSent') return WITHOUT_CREDENTIAL.has(code) ? EXIT.unauthorized : EXIT.usage
  // A list that does not contain the object also counts, although its status is 200.
  if (name === 'NotFound') return EXIT.notFound
  // Without a status, the evidence was rejected, or a response failed verification.
  if (status === undefined) return EXIT.failed
  if (status === 401 || status === 403) return EXIT.unauthorized
  if (status === 402) return EXIT.payment
  return status === 429 || status >= 500 ? EXIT.unavailable : EXIT.usage
}

/** Formats an error. Text from the server is sanitized, so that it cannot forge lines. */
export function failureLines({
  output: { error, message, fix, request_id },
}: CommandFailure): string[] {
  return [
    `svc: ${message.split('\n').map(printable).join('\n     ')}`,
    ...(error === 'usage' ? [] : [`     ${printable(fix)}`]),
    ...(request_id === undefined ? [] : [`     request ${printable(request_id)}`]),
  ]
}
