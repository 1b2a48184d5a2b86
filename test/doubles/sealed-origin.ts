/**
 * Origin double for the edge tests: real TLS, the real envelope, and scripted outcomes. The source of the action is the
 * script, so that concurrent tests share nothing.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer, type Server } from 'node:https'
import type { AddressInfo } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import { EnvelopeError, keyIdOf, openRequest } from '../../origin/channel/open-request.ts'
import { StoredUsageKeys } from '../../origin/channel/stored-usage-keys.ts'
import { Keyring } from '../../origin/keys/keyring.ts'
import { loadTls } from '../../origin/tls.ts'
import { SEALED_CONTENT_TYPE, SEALED_STREAM_CONTENT_TYPE } from '../../shared/envelope/format.ts'
import type { LogLine } from '../../shared/wire/log-line.ts'
import type { Outcome } from '../../shared/wire/outcome.ts'
import {
  type ExecuteRequest,
  executeRequestSchema,
  type OutcomesRequest,
  outcomesRequestSchema,
  SEALED_EXECUTE_PATH,
} from '../../shared/wire/sealed.ts'
import { decodeFrame, SEALED_HTTP_PATH } from '../../shared/wire/sealed-http.ts'
import {
  type RunsRequest,
  runsRequestSchema,
  SEALED_RUNS_PATH,
} from '../../shared/wire/sealed-runs.ts'
import {
  type LogsRequest,
  logsRequestSchema,
  SEALED_LOGS_PATH,
} from '../../shared/wire/sealed-logs.ts'
import {
  checkKeyRequestSchema,
  type CheckKeyRequest,
  SEALED_KEYS_PATH,
} from '../../shared/wire/sealed-keys.ts'
import {
  keyStatesRequestSchema,
  type KeyStatesRequest,
  type PaymentProblem,
  SEALED_KEY_STATES_PATH,
} from '../../shared/wire/sealed-key-states.ts'
import { answerPlain, answerSealedHttp } from './core-origin.ts'
import { ShownEvidence } from './evidence.ts'
import { type EvidenceVariant, VARIANT_HEADER } from './evidence-variants.ts'
import { parseScript, type Seen } from './script.ts'

export type SealedOriginOptions = { stateDir: string; root: Uint8Array; psk: string; port: number }

/** Unreferenced timer, so that a pending wait does not keep the process alive. */
const sleep = (ms: number) => setTimeout(ms, undefined, { ref: false })

type Run = { calls: number; ended?: Outcome; ending?: Promise<Outcome>; prints?: LogLine[] }

export async function startSealedOrigin(options: SealedOriginOptions): Promise<{
  url: string
  /** Execution requests so far, in order. */
  seen: readonly Seen[]
  close(): Promise<void>
}> {
  const keyring = new Keyring(options.root)
  const channel = keyring.channelKey(1)
  const storedKeys = new StoredUsageKeys(keyring.storageKey())
  const psk = Buffer.from(options.psk, 'base64url')
  const keys = {
    keyFor: (id: string) => (id === keyIdOf(channel.publicKey) ? channel : undefined),
    psk,
  }
  const runs = new Map<string, Run>()
  const seen: Seen[] = []
  const tls = await loadTls(options.stateDir)
  const evidence = new ShownEvidence(options.root, tls)

  const server = createServer(
    { key: tls.key, cert: tls.cert, minVersion: 'TLSv1.3' },
    (request, response) => {
      const chunks: Buffer[] = []
      request.on('data', (chunk: Buffer) => chunks.push(chunk))
      request.on('end', () => void serve(request, Buffer.concat(chunks), response))
    },
  )

  async function serve(request: IncomingMessage, body: Buffer, response: ServerResponse) {
    const url = new URL(request.url ?? '/', 'https://origin')
    const path = url.pathname
    if (path === '/control/seen') {
      const prefix = url.searchParams.get('prefix')!
      return void response.end(JSON.stringify(seen.filter(({ runId }) => runId.startsWith(prefix))))
    }
    const variant = (request.headers[VARIANT_HEADER] ?? 'good') as EvidenceVariant
    const shown = await evidence.at(url, variant)
    // Requests with a script are echoed to the tests, even for evidence paths.
    if (shown !== undefined && !request.headers['x-double']) return void response.end(shown)
    if (path === SEALED_HTTP_PATH) return passedOn(body, response)
    if (path === SEALED_RUNS_PATH) return answerRuns(body, request, response)
    if (!path.startsWith('/sealed/')) return answerPlain(request, body, response)
    const reply = await answer(path, body)
    if (reply === 'break') return void request.socket.destroy()
    response.writeHead(reply.status, { 'content-type': reply.type })
    response.end(reply.body)
  }

  /** Streams the answer of each run. A run that breaks the connection breaks it for the others of its request too. */
  async function answerRuns(body: Buffer, request: IncomingMessage, response: ServerResponse) {
    try {
      const opened = openRequest(keys, 'POST', SEALED_RUNS_PATH, body)
      const { head, sources, params } = runsIn(opened.plaintext)
      const stream = opened.sealStream()
      const answerRun = async (run: RunsRequest['runs'][number], at: number) => {
        const { id } = run
        const action = { code: sources[run.source]!, params: JSON.parse(params[at]!) as unknown }
        const reply = await execute(run, action, head)
        if (reply === 'break') return void request.socket.destroy()
        if (reply !== 'unanswered' && 'unsealed' in reply)
          return void response.writeHead(reply.unsealed).end('a proxy')
        if (response.writableEnded) return
        if (!response.headersSent) {
          response.writeHead(200, { 'content-type': SEALED_STREAM_CONTENT_TYPE })
          response.write(stream.start)
        }
        if (reply === 'unanswered') return
        const { isForAll, ...answered } = { isForAll: false, ...reply }
        const message = { ...(isForAll ? {} : { run_id: id }), response: answered }
        response.write(stream.seal(Buffer.from(JSON.stringify(message))))
      }
      await Promise.all(head.runs.map(answerRun))
      response.end()
    } catch (error) {
      const unknownKey = error instanceof EnvelopeError && error.failure.reason === 'unknown_key'
      response.writeHead(unknownKey ? 421 : 400).end(String(error))
    }
  }

  function passedOn(body: Buffer, response: ServerResponse) {
    try {
      answerSealedHttp(openRequest(keys, 'POST', SEALED_HTTP_PATH, body), response, storedKeys)
    } catch (error) {
      response.writeHead(400, { 'content-type': 'text/plain' }).end(String(error))
    }
  }

  /** The prefix of the key determines its kind. */
  async function checked({ api_key: sent, stored, reseal_for, for_link }: CheckKeyRequest) {
    let api_key
    try {
      api_key = sent ?? storedKeys.open(stored!)
    } catch {
      const failure = { error: 'bad_request', message: 'does not open', fix: 'none' }
      return { state: 'refused' as const, status: 400, ...failure }
    }
    const refused_by = api_key.startsWith('expired-') ? ('expired' as const) : undefined
    const kind = /^(account|unknown)[-+]/.exec(api_key)?.[1] as 'account' | 'unknown' | undefined
    const may_execute = kind !== 'unknown' && !api_key.startsWith('forbidden-')
    // An older origin does not know reseal_for.
    const isResealed = !kind && !refused_by && !api_key.startsWith('older-')
    const sealed_usage_key =
      stored && reseal_for && isResealed && (await storedKeys.reseal(stored, reseal_for))
    return {
      state: 'known' as const,
      key: kind ?? ('usage' as const),
      may_execute,
      ...(for_link && { key_hash: `key ${api_key}`, account_hash: 'account of the key' }),
      ...(refused_by && { refused_by }),
      ...(sealed_usage_key && { sealed_usage_key }),
    }
  }

  /** A key `expires-<Unix milliseconds>` expires at that time, and the account of a key `cents-<n>` has this credit. */
  function keyStates({ stored, balances, payments }: KeyStatesRequest) {
    const keys = stored.map((one) => {
      const key = storedKeys.open(one)
      if (key.startsWith('unknown-')) return null
      const expiry = /^expires-(\d+)/.exec(key)?.[1]
      const cents = balances ? /^cents-(\d+)/.exec(key)?.[1] : undefined
      const problem = payments ? /^cents-\d+-(declined|disputed)/.exec(key)?.[1] : undefined
      return {
        key_hash: key,
        ...(problem !== undefined && { payment_problem: problem as PaymentProblem }),
        ...(expiry !== undefined && { expires_at: Number(expiry) }),
        ...(cents !== undefined && {
          account_hash: `account of ${key.replace(/ .*/, '')}`,
          balance_cents: Number(cents),
        }),
      }
    })
    return { state: 'known' as const, keys }
  }

  async function answer(path: string, body: Buffer) {
    try {
      const opened = openRequest(keys, 'POST', path, body)
      const text: unknown = JSON.parse(opened.plaintext.toString('utf8'))
      const reply =
        path === SEALED_EXECUTE_PATH
          ? executeForClient(executeRequestSchema.parse(text))
          : path === SEALED_KEYS_PATH
            ? await checked(checkKeyRequestSchema.parse(text))
            : path === SEALED_LOGS_PATH
              ? logs(logsRequestSchema.parse(text))
              : path === SEALED_KEY_STATES_PATH
                ? keyStates(keyStatesRequestSchema.parse(text))
                : await outcomes(outcomesRequestSchema.parse(text))
      if (reply === 'break') return reply
      if ('unsealed' in reply)
        return { status: reply.unsealed, type: 'text/plain', body: 'a proxy' }
      const sealed = opened.sealResponse(Buffer.from(JSON.stringify(reply)))
      return { status: 200, type: SEALED_CONTENT_TYPE, body: sealed }
    } catch (error) {
      const unknownKey = error instanceof EnvelopeError && error.failure.reason === 'unknown_key'
      return { status: unknownKey ? 421 : 400, type: 'text/plain', body: String(error) }
    }
  }

  async function execute(
    claim: RunsRequest['runs'][number],
    { code, params }: { code: string; params: unknown },
    { credential, wait_ms }: RunsRequest,
  ) {
    const usageKey = storedKeys.open(credential)
    const { steps } = parseScript(code)
    const run = runs.get(claim.id) ?? { calls: 0 }
    runs.set(claim.id, run)
    if (run.ended) return { state: 'ended' as const, outcome: run.ended }
    seen.push({
      runId: claim.id,
      attempt: claim.attempt,
      retryLost: claim.retry_lost ?? false,
      trace: claim.trace,
      at: Date.now(),
      usageKey,
      params,
    })
    const step = steps[Math.min(run.calls++, steps.length - 1)]!
    if ('refuse' in step) {
      const { refuse, ...scope } = step
      return { state: 'refused' as const, message: 'by script', fix: 'none', ...refuse, ...scope }
    }
    if ('unanswered' in step) return 'unanswered' as const
    if ('unsealed' in step) return step
    if ('break' in step) {
      if (step.ran) run.ended = step.ran
      return 'break' as const
    }
    run.prints = step.prints ?? []
    run.ending ??= sleep(step.after_ms ?? 0).then(() => (run.ended = step.outcome))
    const outcome = await Promise.race([run.ending, sleep(wait_ms)])
    return outcome ? { state: 'ended' as const, outcome } : { state: 'running' as const }
  }

  /** Executes a request that a client sealed end to end. Uses the first step only. */
  function executeForClient({ code }: ExecuteRequest) {
    const [step] = parseScript(code).steps
    if (!step || 'refuse' in step || 'unanswered' in step)
      throw new Error('not a script for a client')
    if ('unsealed' in step) return step
    return 'break' in step ? ('break' as const) : { state: 'ended' as const, outcome: step.outcome }
  }

  function logs({ runs: asked }: LogsRequest) {
    const lines = asked.flatMap(({ run_id, from }) => {
      const { ended, prints } = runs.get(run_id) ?? {}
      return ended || !prints ? [] : [[run_id, prints.slice(from)]]
    })
    return {
      state: 'known' as const,
      lines: Object.fromEntries(lines) as Record<string, LogLine[]>,
    }
  }

  async function outcomes({ run_ids, wait_ms }: OutcomesRequest) {
    const pending = run_ids.flatMap((id) => runs.get(id)?.ending ?? [])
    const news = run_ids.some((id) => !runs.get(id)?.ending || runs.get(id)?.ended)
    if (!news) await Promise.race([sleep(wait_ms), ...pending])
    const ended: Record<string, Outcome> = {}
    const running: string[] = []
    const unknown: string[] = []
    for (const id of run_ids) {
      const run = runs.get(id)
      if (run?.ended) ended[id] = run.ended
      else (run?.ending ? running : unknown).push(id)
    }
    return { state: 'known' as const, ended, running, unknown }
  }

  // Like the real origin: longer than the edge keeps connections, so that the edge never reuses a closed one.
  server.keepAliveTimeout = 120_000
  await new Promise<void>((listening) => server.listen(options.port, '127.0.0.1', listening))
  const { port } = server.address() as AddressInfo
  return { url: `https://localhost:${port}`, seen, close: () => close(server) }
}

function close(server: Server): Promise<void> {
  server.closeAllConnections()
  return new Promise((closed) => server.close(() => closed()))
}

function runsIn(plaintext: Buffer) {
  const { head: text, body } = decodeFrame(plaintext)!
  const head = runsRequestSchema.parse(JSON.parse(text))
  let end = 0
  const take = (bytes: number) => body.subarray(end, (end += bytes)).toString()
  const sources = head.source_bytes.map(take)
  return { head, sources, params: head.runs.map(({ params_bytes }) => take(params_bytes)) }
}
