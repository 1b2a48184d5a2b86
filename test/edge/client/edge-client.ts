/** A client of the edge itself, over a line that the test can cut. */
import { beforeAll, beforeEach } from 'vitest'
import type { SvcError } from '../../../shared/client/failures.ts'
import { createRequester } from '../../../shared/client/requester.ts'
import type { Run, StoredTrigger, TriggerFields } from '../../../shared/client/triggers/records.ts'
import {
  triggerOperations,
  type TriggerOperations,
} from '../../../shared/client/triggers/triggers.ts'
import { edge, type Owner, random, script, someOwner, success } from '../app.ts'

/** What becomes of a request on its way, or of its answer. */
export type Way = (
  request: Request,
  send: (request: Request) => Promise<Response>,
) => Promise<Response>

/** Between the client and the edge. */
export type Line = {
  way: Way
  /** Method and path of each request. */
  asked: string[]
  /** Milliseconds. */
  waits: number[]
  /** Of which kind each credential was, before it was sent. */
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
/** From here on clients are of somebody who has nothing yet. */
export async function asAnotherOwner(): Promise<void> {
  owner = await someOwner()
}

/** Each file calls it: a module that files share is read once, and hooks are of the file that reads it. */
export function beginAnew(): void {
  beforeAll(asAnotherOwner)
  beforeEach(() => void Object.assign(line, freshLine()))
}

type Over = { token?: string | undefined; signal?: AbortSignal; times?: number }

/** A client of the edge itself, over a network that is as the test wants it. Its waits are short. */
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
/** The request arrives, and its answer does not. */
export const lose: Way = async (request, send) => {
  await send(request)
  return cut()
}
/** The first request of a kind goes another way than the rest. */
export const onceFor = (pattern: RegExp, other: Way): Way => {
  let isGone = false
  return (request, send) => {
    if (isGone || !pattern.test(`${request.method} ${request.url}`)) return send(request)
    isGone = true
    return other(request, send)
  }
}
/** Pages of two, as the edge makes them when it is asked to. */
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
/** So many runs that have ended, oldest first. */
export async function ended(triggerId: string, count: number): Promise<Run[]> {
  const runs: Run[] = []
  for (let left = count; left > 0; left--) {
    const { run_id } = await client().fire(triggerId, '{}')
    runs.push(await client().waitForRun(run_id))
  }
  return runs
}
