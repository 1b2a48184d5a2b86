/** A client of the real edge, with a connection that the test can cut. */
import { beforeAll, beforeEach } from 'vitest'
import type { SvcError } from '../../../shared/client/failures/svc-error.ts'
import { createRequester } from '../../../shared/client/requester.ts'
import type { Run, StoredTrigger, TriggerFields } from '../../../shared/client/triggers/records.ts'
import {
  triggerOperations,
  type TriggerOperations,
} from '../../../shared/client/triggers/triggers.ts'
import { edge, type Owner, random, script, someOwner, success } from '../app.ts'

/** Handles a request on its way to the edge, and the response on its way back. */
export type Way = (
  request: Request,
  send: (request: Request) => Promise<Response>,
) => Promise<Response>

export type Line = {
  way: Way
  /** Method and path of each request. */
  asked: string[]
  /** Delays between requests, in milliseconds. */
  waits: number[]
  /** The kind of each credential, recorded before it was sent. */
  announced: string[]
}
const freshLine = (): Line => ({
  way: (request, send) => send(request),
  asked: [],
  waits: [],
  announced: [],
})

export const line = freshLine()
export let owner: Owner
/** Switches clients to a new owner without any triggers. */
export async function asAnotherOwner(): Promise<void> {
  owner = await someOwner()
}

/** Every test file calls this: a shared module is loaded once, and hooks belong to the file that registers them. */
export function beginAnew(): void {
  beforeAll(asAnotherOwner)
  beforeEach(() => void Object.assign(line, freshLine()))
}

type Over = { token?: string | undefined; signal?: AbortSignal; times?: number }

/** Creates a client of the real edge with short waits. Requests go through `line`, which the test can change. */
export function client({ times = 0, signal, ...over }: Over = {}): TriggerOperations {
  const sleep = async (ms: number, either?: AbortSignal) => {
    line.waits.push(ms)
    await new Promise((resolve) => setTimeout(resolve, Math.min(ms, 20)))
    either?.throwIfAborted()
  }
  const network = { now: Date.now, random, sleep, ...(signal && { signal }) }
  const requester = createRequester({
    ...network,
    origin: 'https://origin.test',
    edge: 'https://edge.test',
    fetch: (input, init) => {
      const request = new Request(input, init)
      line.asked.push(`${request.method} ${request.url.replace('https://edge.test', '')}`)
      return line.way(request, (sent: Request) => edge(sent.url, sent))
    },
    retries: { times },
    signal,
    beforeCredential: async (kind) => void line.announced.push(kind),
  })
  return triggerOperations({ ...network, requester, token: owner.token, ...over })
}

export const cut = (): never => {
  throw new TypeError('the connection was lost')
}
/** Delivers the request and loses the response. */
export const lose: Way = async (request, send) => {
  await send(request)
  return cut()
}
/** Handles the first matching request differently from the others. */
export const onceFor = (pattern: RegExp, other: Way): Way => {
  let isGone = false
  return (request, send) => {
    if (isGone || !pattern.test(`${request.method} ${request.url}`)) return send(request)
    isGone = true
    return other(request, send)
  }
}
/** Requests pages of two items. */
export const smallPages: Way = (request, send) =>
  send(new Request(request.url.replace(/limit=(50|200)/, 'limit=2'), request))

export const fields = (over: Partial<TriggerFields> = {}): TriggerFields => ({
  name: 'of the client',
  kind: 'webhook',
  action_code: script(success()),
  usage_api_key: 'usage-key',
  ...over,
})
export const created = (over?: Partial<TriggerFields>): Promise<StoredTrigger> =>
  client().create(fields(over))
export const failureOf = (call: Promise<unknown>): Promise<SvcError> =>
  call.then(
    () => Promise.reject(new Error('it did not fail')),
    (error: SvcError) => error,
  )
/** Creates the given number of finished runs, oldest first. */
export async function ended(triggerId: string, count: number): Promise<Run[]> {
  const runs: Run[] = []
  for (let left = count; left > 0; left--) {
    const { run_id } = await client().fire(triggerId, '{}')
    runs.push(await client().waitForRun(run_id!))
  }
  return runs
}
