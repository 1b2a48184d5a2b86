/** Executes runs for the edge. Each run is executed at most once, and all permissions are checked here. */
import { isUtf8 } from 'node:buffer'
import { MODE_PSK, SEALED_STREAM_CONTENT_TYPE } from '../../shared/envelope/format.ts'
import { ApiError } from '../../shared/errors/api-error.ts'
import {
  CORE_BODY_MAX_BYTES,
  SEALED_HEAD_MAX_BYTES,
  SOURCE_MAX_BYTES,
} from '../../shared/limits.ts'
import type { ExecuteResponse } from '../../shared/wire/sealed.ts'
import {
  type RunsMessage,
  type RunsRequest,
  runsRequestSchema,
  SEALED_RUNS_PATH,
} from '../../shared/wire/sealed-runs.ts'
import type { Principal } from '../accounts/account.ts'
import { openRequest, type OpenedRequest } from '../channel/open-request.ts'
import type { JoinedRun } from '../runs/executions.ts'
import type { OriginServices } from '../services.ts'
import { endWithOutcome, startRunSpan } from '../telemetry/run-span.ts'
import { undefinedAfter } from '../timeout.ts'
import { requireForTriggers } from '../usage-keys/request-source.ts'
import { authenticateKey } from './authenticate.ts'
import { readObjectText } from './json/members.ts'
import { NotJsonError } from './json/scan.ts'
import type { OriginApp } from './operation.ts'
import { readEnvelope, readFrame, requireFresh, sealedRefusal } from './sealed.ts'
import { readParamsText, requireSize } from './size.ts'

/** Maximum time for which a request waits for the start of its run. */
const QUEUED_WAIT_MAX_MS = 10_000

const ENVELOPE_LIMITS = { maxBytes: CORE_BODY_MAX_BYTES + SEALED_HEAD_MAX_BYTES, isOfEdge: true }

export function mountSealedRuns(app: OriginApp, services: OriginServices): void {
  app.post(SEALED_RUNS_PATH, async (context) => {
    const bytes = await readEnvelope(context, ENVELOPE_LIMITS, services)
    const opened = openRequest(services.channel.keys, 'POST', SEALED_RUNS_PATH, bytes)
    const body = streamMessages(opened, (send) => executeRuns(opened, services, send))
    return context.body(body, 200, { 'content-type': SEALED_STREAM_CONTENT_TYPE })
  })
}

type Send = (message: RunsMessage) => void

/** Runs continue after the reader has disconnected. */
function streamMessages(
  { sealStream }: OpenedRequest,
  work: (send: Send) => Promise<void>,
): ReadableStream<Uint8Array> {
  const { start, seal } = sealStream()
  let isCancelled = false
  return new ReadableStream({
    async start(controller) {
      controller.enqueue(start)
      const send = (message: RunsMessage) => {
        if (!isCancelled) controller.enqueue(seal(Buffer.from(JSON.stringify(message))))
      }
      // Not awaited, because a stream cannot be read or cancelled until `start` resolves.
      void work(send).then(() => {
        if (!isCancelled) controller.close()
      })
    },
    cancel() {
      isCancelled = true
    },
  })
}

/** Never rejects. */
async function executeRuns(
  opened: OpenedRequest,
  services: OriginServices,
  send: Send,
): Promise<void> {
  try {
    const { request, sources, params } = readRuns(opened)
    requireFresh(request, services.now())
    services.load.requireRoom()
    const principal = authenticateTrigger(request, services)
    services.keyUses.recordUse(principal.keyHash)
    const execute = async (run: RunsRequest['runs'][number], at: number) => {
      const code = readSource(sources[run.source]!)
      const text = readParams(params[at]!)
      // Both the received and the decoded bytes are in memory.
      const heldBytes = 2 * (code.length + text.length)
      const span = startRunSpan(run, services.tracer)
      const execution = { principal, code, params: text, heldBytes, span }
      return endWithOutcome(span, services.executions.runOnce(execution, run), (joined) =>
        responseWithin(request.wait_ms, joined),
      )
    }
    const respond = async (run: RunsRequest['runs'][number], at: number) => {
      const response = await execute(run, at).catch((error: unknown) =>
        sealedRefusal(error, SEALED_RUNS_PATH, services),
      )
      send({ run_id: run.id, response })
    }
    await Promise.all(request.runs.map(respond))
  } catch (error) {
    send({ response: sealedRefusal(error, SEALED_RUNS_PATH, services) })
  }
}

/**
 * Waits from the start of the run, so that a run that is queued behind others does not have to be polled for.
 * @param waitMs 0 to respond immediately
 * @param begun undefined if another process executes the run
 */
async function responseWithin(
  waitMs: number,
  begun: JoinedRun | undefined,
): Promise<ExecuteResponse> {
  if (!begun) return { state: 'running' }
  const { outcome: ended, started } = begun
  if (waitMs > 0) await undefinedAfter(QUEUED_WAIT_MAX_MS, Promise.race([started, ended]))
  const outcome = await undefinedAfter(waitMs, ended)
  return outcome ? { state: 'ended', outcome } : { state: 'running' }
}

/** @throws {ApiError} 400, 403 or 422 for requests that the edge does not send */
function readRuns({ mode, plaintext }: OpenedRequest): {
  request: RunsRequest
  sources: Buffer[]
  params: Buffer[]
} {
  if (mode !== MODE_PSK)
    throw new ApiError(
      403,
      'Runs are accepted only from the edge.',
      'Send POST /core/v1/svc_action, or a sealed request without a run.',
    )
  const { head: request, body } = readFrame(plaintext, runsRequestSchema, malformed)
  const sizes = [...request.source_bytes, ...request.runs.map(({ params_bytes }) => params_bytes)]
  const parts: Buffer[] = []
  let end = 0
  for (const size of sizes) parts.push(body.subarray(end, (end += size)))
  const sources = parts.slice(0, request.source_bytes.length)
  const areComplete = end === body.length
  const areKnown = request.runs.every(({ source }) => source < sources.length)
  if (!areComplete || !areKnown) throw malformed()
  return { request, sources, params: parts.slice(sources.length) }
}

function malformed(): ApiError {
  return new ApiError(
    400,
    'The sealed plaintext is not a list of runs.',
    'Seal the sources and params, a head as JSON with their sizes, and the length of the head.',
  )
}

/**
 * Every run of a request must belong to the trigger of its usage key. Account keys are refused, because with one of
 * them a trigger or a compromised edge could do anything in the account.
 */
function authenticateTrigger(
  { credential, runs }: RunsRequest,
  services: OriginServices,
): Principal {
  if (!runs.every(({ id }) => id.startsWith(credential.trigger_id)))
    throw new ApiError(
      403,
      'The usage key was sealed for a different trigger than the one of this run.',
      'Send the key that was sealed for the trigger of this run.',
    )
  const principal = authenticateKey(services.channel.storedKeys.open(credential), services)
  if (!principal.usageKey)
    throw new ApiError(
      403,
      'The trigger has an account key, but triggers run only with usage keys.',
      'Create a usage key (add_usage_api_key) that can execute the action, and create the trigger with it.',
    )
  requireForTriggers(services.keyLimits.of(principal))
  return principal
}

function readSource(bytes: Buffer): string {
  if (!isUtf8(bytes)) throw malformed()
  const source = bytes.toString('utf8')
  requireSize('code', source, SOURCE_MAX_BYTES)
  return source
}

function readParams(bytes: Buffer): string {
  try {
    return readParamsText(readObjectText(bytes))
  } catch (error) {
    throw error instanceof NotJsonError ? malformed() : error
  }
}
