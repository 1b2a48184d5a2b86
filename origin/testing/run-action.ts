import { actionCid } from '../../shared/cid/compute-cid.ts'
import { EXECUTION_CPU_MS, EXECUTION_WALL_MS, PARAMS_MAX_BYTES } from '../../shared/limits.ts'
import { actionCode } from './action-code.ts'
import { isPlainObject } from './plain-object.ts'
import { RecordingFile } from './recording-file.ts'
import { type Responder, scripted } from './routes.ts'
import type { SentRequest, SentResponse } from './sandbox/messages.ts'
import { SandboxProcess } from './sandbox/sandbox-process.ts'
import { TestAccount } from './test-account.ts'
import { TestSetupError } from './test-setup-error.ts'
import { DEFAULT_CHAINS } from './test-transactions.ts'
import type {
  ActionRun,
  ActionSource,
  RunActionOptions,
  Routes,
  SentActionRequest,
} from './types.ts'

/** The action sent a request to which the test has no response. */
export class UnscriptedRequestError extends Error {
  override readonly name = 'UnscriptedRequestError'
}

const OPTIONS = ['params', 'wallets', 'fetch', 'now', 'chains', 'limits']
const DEFAULT_NOW = '2026-01-01T00:00:00Z'

/**
 * Runs an action in the sandbox, on a fake clock and without a network. A run that fails has an `error`; the promise
 * does not reject.
 * @throws {TestSetupError} if an option is invalid
 * @throws {ActionBuildError} if the source cannot be built
 * @throws {UnscriptedRequestError} if the action sent a request to which the test has no response
 * @example
 * const run = await runAction('src/action.ts', {
 *   params: { symbol: 'ETH' },
 *   fetch: { 'GET https://api.example.com/price?symbol=ETH': { json: { price: '3120.50' } } },
 * })
 * expect(run).toRespondWith({ price: '3120.50' })
 */
export async function runAction(
  action: ActionSource,
  options: RunActionOptions = {},
): Promise<ActionRun> {
  const unknown = Object.keys(options).find((name) => !OPTIONS.includes(name))
  if (unknown !== undefined)
    throw new TestSetupError(`unknown option ${unknown}; the options are ${OPTIONS.join(', ')}`)
  const { wallets = {}, chains = DEFAULT_CHAINS, limits = {} } = options
  const { wallMs = EXECUTION_WALL_MS, cpuMs = EXECUTION_CPU_MS } = limits
  const params = paramsText(options.params)
  const start = startOf(options.now)
  const responder = responderOf(options.fetch)
  const code = await actionCode(action)
  const cid = await actionCid(code)
  let now = start
  const account = new TestAccount({ cid, wallets, chains, now: () => now })
  const requests: SentActionRequest[] = []
  const failures: Error[] = []
  const respond = async (request: SentRequest): Promise<SentResponse> => {
    const { method, url, headers } = request
    const sent: SentActionRequest = { method, url, headers, body: textOf(request.body) }
    requests.push(sent)
    try {
      const response = await responder.respond(request)
      if (!response)
        throw new UnscriptedRequestError(
          `the action sent ${method} ${url}, to which the test has no response. ${responder.hint(request)}`,
        )
      if ('status' in response) sent.status = response.status
      return response
    } catch (error) {
      failures.push(error instanceof Error ? error : new Error(String(error)))
      return { delayMs: 0, failure: 'the test has no response to this request' }
    }
  }
  const result = await sandbox().run(
    { code, params, now: start, wallMs, cpuMs },
    { capability: account, respond, onTime: (ms) => (now = ms) },
  )
  now = start + result.durationMs
  account.end()
  const transactions = await account.transactions.all()
  // A request without a response is a mistake in the test, even if the action handles it.
  if (failures[0]) throw failures[0]
  const { logs, durationMs, cpuMs: used = 0 } = result
  const facts = { logs, requests, transactions, cid, durationMs, cpuMs: used }
  const { signatures } = account
  if (result.kind === 'returned')
    return { response: JSON.parse(result.value), error: undefined, signatures, ...facts }
  const { code: failure, message, stack } = result
  return { response: undefined, error: { code: failure, message, stack }, signatures, ...facts }
}

let current: SandboxProcess | undefined

function sandbox(): SandboxProcess {
  if (!current || current.hasExited) current = new SandboxProcess()
  return current
}

function paramsText(params: unknown = {}): string {
  if (!isPlainObject(params)) throw new TestSetupError('params: expected an object')
  let text: string
  try {
    text = JSON.stringify(params)
  } catch (error) {
    throw new TestSetupError(`params: ${(error as Error).message}; params must be JSON`)
  }
  const bytes = Buffer.byteLength(text)
  if (bytes <= PARAMS_MAX_BYTES) return text
  throw new TestSetupError(`params: ${bytes} bytes exceed the limit of ${PARAMS_MAX_BYTES}`)
}

function startOf(now: RunActionOptions['now'] = DEFAULT_NOW): number {
  const ms = new Date(now).getTime()
  if (Number.isNaN(ms))
    throw new TestSetupError(`now: expected a date such as '${DEFAULT_NOW}', or Unix milliseconds`)
  return ms
}

function responderOf(fetch: RunActionOptions['fetch'] = {}): Responder {
  if (fetch instanceof RecordingFile) return fetch.open()
  if (isPlainObject(fetch)) return scripted(fetch as Routes)
  throw new TestSetupError(
    "fetch: expected an object such as { 'GET https://api.example.com/': { json: {} } }, or recording('file.json')",
  )
}

const textOf = (bytes: Uint8Array) => Buffer.from(bytes).toString('utf8')
