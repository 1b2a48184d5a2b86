/**
 * One operation of the core API, as data and a handler. `mount` serves it in the order of `decisions.md`:
 * 429 of a node under load, 401, 400 and 422, a kept answer, 402, 403, then the act. Where the credential is in the
 * body, 401 comes after 400 and 422. `openapi.json` is made from the same data, so what is written here is what
 * clients read.
 *
 * To add one: a file of its own that exports an `Operation`, its schemas in `shared/wire/`, and its name in
 * `operations.ts`.
 *
 * - `body` is validated JSON; `query` is validated parameters, whose schema takes an object of strings.
 * - `list: true` adds `page_number` and `page_size`. The handler takes its page of everything, and only that page
 *   costs anything: `return page.of(wallets).map(walletRecord)`. `mount` sends the items and `x-total-count`.
 * - `csv` makes a list a table as well: at `?format=csv`, and to an `Accept` that prefers it. `mount` writes it from
 *   the same items, page and all.
 * - `writeId` goes to the writer: `writer.write(name, args, { writeId })`. A repeat under one Idempotency-Key has
 *   the id of the first, so that nothing is written twice; the receipt may then be that of the first, whose
 *   arguments were others: answer from the receipt's logs, not from what was made up for this call.
 * - `writes` names the function of the contract that the operation calls for the account; the account is charged for
 *   it when it has succeeded, unless the write `isFree`. `writesUnless` says which bodies have nothing that the chain keeps: such a request sends
 *   no transaction and is free. `afterConversion` leaves the operation to the API key from before a
 *   conversion, until the account is transferred (billing); see `authorize.ts`.
 * - `rate` counts the client's address before the body is read: for an operation that costs much and needs no key.
 * - `before` looks at what a request is by itself, before 402 and 403: what a wallet signed. Where it returns `resumes`,
 *   the request's write was sent before, and is not refused because it has had its effect.
 * - `auth: 'wallet_signature'`: the body carries `{typed_data, signature}` of the named purpose, and who signed it asks.
 *   `walletAuth`: the same in the header `X-Wallet-Auth`, in place of a key (billing).
 * - `showsKey` names the answer's field with the hash of the key that the answer shows: such an answer is not kept.
 *   Where the receipt names another key's hash than was made up, `requireShownNow` says what to answer.
 * - `runsOnce`: what was begun and lost is answered 409 `outcome_unknown`, and not begun again.
 * - `statuses` lists what the handler answers beside what follows from the rest (see `openapi/statuses.ts`).
 */
import type { Context, Hono } from 'hono'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import type { z } from 'zod'
import type { ErrorStatus } from '../../shared/errors.ts'
import type { Principal } from '../accounts/state.ts'
import { asOfNow } from '../accounts/as-of-now.ts'
import type { MinuteRate } from '../admission/minute-rate.ts'
import { chargedWrite } from '../credits/charged-write.ts'
import type { KeptAnswer } from '../idempotency/answer-codec.ts'
import type { Services } from '../services.ts'
import type { Purpose } from '../../shared/typed-data.ts'
import { type Auth, principalByHead } from './authenticate.ts'
import { authorize } from './authorize.ts'
import { clientAddress } from './client-address.ts'
import { trustConnection } from './connection/protect-connections.ts'
import { CSV_TYPE, csvOf, type CsvForm, wantsCsv } from './csv.ts'
import { idempotencyKeyOf, once } from './idempotency.ts'
import { Page, type PageRequest, pageRequestOf } from './page.ts'
import { bodyOf, type RequestBody } from './request-body.ts'
import { queryOf } from './request-query.ts'
import { type Signed, principalBySignature } from './wallet-signature.ts'

export type OriginEnv = { Variables: { requestId: string } }
export type OriginApp = Hono<OriginEnv>

export type Answer = object | string | boolean

/** What every handler is given. */
export type Given<Body, Query> = {
  body: Body
  query: Query
  page: PageRequest
  /** The socket's, never a header's; `''` where there is none. */
  clientAddress: string
  /** As it was sent. */
  bodyBytes: number
  /** Aborted when the client has gone before its answer. */
  gone: AbortSignal
  writeId: string
}

type Common<Kind extends Auth, Body, Query, Caller> = {
  method: 'GET' | 'POST'
  path: string
  /** One sentence for readers of the API's description. */
  summary: string
  auth: Kind
  /** Absent where the operation takes no body. */
  body?: RequestBody<Body>
  query?: z.ZodType<Query>
  list?: true
  csv?: CsvForm
  /** What a 200 carries; of a list, the array. */
  answer: z.ZodType
  rate?(services: Services): Pick<MinuteRate, 'take'>
  writes?: string
  isFree?: true
  writesUnless?: (body: Body) => boolean
  afterConversion?: true
  before?(given: Given<Body, Query> & Caller, services: Services): Promise<'resumes' | undefined>
  walletAuth?: true
  showsKey?: string
  runsOnce?: true
  statuses?: readonly ErrorStatus[]
  handle(given: Given<Body, Query> & Caller, services: Services): Promise<Answer | Page<object>>
}

export type Operation<Body = undefined, Query = undefined> =
  | Common<'none', Body, Query, object>
  | Common<'sent_key', Body, Query, { principal: Principal | undefined }>
  | Common<'key' | 'account_key', Body, Query, { principal: Principal }>
  | (Common<'wallet_signature', Body, Query, { principal: Principal }> & { purpose: Purpose })

export function mount<Body, Query>(
  app: OriginApp,
  services: Services,
  operation: Operation<Body, Query>,
): void {
  app.on(operation.method, operation.path, async (context) => {
    services.load.requireRoom()
    const from = { headers: context.req.raw.headers, address: clientAddress(context) }
    const byHead = await principalByHead(operation, from, services)
    if (byHead && byHead.wallet === undefined) services.keyUses.used(byHead.keyHash)
    if (byHead) trustConnection(context, byHead.account.hash)
    operation.rate?.(services).take(from.address)
    const { bodyRooms } = services
    const holder = byHead ? bodyRooms.ofAccount(byHead) : bodyRooms.ofClient(from.address)
    const { value: body, bytes } = await bodyOf(context, operation.body, holder)
    const principal =
      operation.auth === 'wallet_signature'
        ? await principalBySignature(body as Signed, operation.purpose, from.address, services)
        : byHead
    const given = {
      body,
      query: queryOf(context, operation.query),
      page: pageRequestOf(context, operation.list),
      clientAddress: from.address,
      bodyBytes: bytes.length,
      gone: context.req.raw.signal,
    }
    const table = wantsCsv(context, operation.csv) ? operation.csv : undefined
    const idempotencyKey = idempotencyKeyOf(context, operation, principal)
    const execute = (writeId: string) => act(operation, services, { ...given, writeId }, principal)
    if (!principal || idempotencyKey === undefined)
      return respond(context, await execute(crypto.randomUUID()), table)
    const request = { operation, principal, idempotencyKey, body: bytes }
    const answer = await once(request, services, execute)
    return 'kept' in answer
      ? respondKept(context, answer.kept)
      : respond(context, answer.fresh, table)
  })
}

/** 402, 403, then the act. What sends a transaction for an account is charged to it. */
async function act<Body, Query>(
  operation: Operation<Body, Query>,
  services: Services,
  given: Given<Body, Query>,
  principal: Principal | undefined,
): Promise<Answer | Page<object>> {
  if (operation.auth === 'none') return operation.handle(given, services)
  if (operation.auth === 'sent_key') return operation.handle({ ...given, principal }, services)
  if (!principal) throw new Error('an operation with a key has a principal')
  const { auth, writes, writesUnless, afterConversion } = operation
  const isWrite = writes !== undefined && writesUnless?.(given.body) !== true
  const resumes = (await operation.before?.({ ...given, principal }, services)) === 'resumes'
  const permitted = async () => {
    const current = asOfNow(principal, services.mirror.current())
    const asked = {
      auth,
      ...(isWrite && !resumes && { writes, clientMethod: clientMethodOf(operation.path) }),
      ...((afterConversion || resumes) && { afterConversion: true as const }),
    }
    authorize(asked, current, services.chain)
    return operation.handle({ ...given, principal: current }, services)
  }
  if (!isWrite || operation.isFree) return permitted()
  const { account, keyHash } = principal
  const by = { accountHash: account.hash, keyHash, subject: operation.path }
  return chargedWrite(services.credits, by, permitted)
}

/** The client library names its methods as the API its paths. */
function clientMethodOf(path: string): string {
  const name = path.slice(path.lastIndexOf('/') + 1)
  return name.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())
}

/** @param table what the answer, a list, is wanted as instead of JSON */
function respond(
  context: Context<OriginEnv>,
  answer: Answer | Page<object>,
  table?: CsvForm,
): Response {
  if (!(answer instanceof Page)) return context.json(answer)
  context.header('x-total-count', String(answer.total))
  if (!table) return context.json(answer.items)
  context.header('content-disposition', `attachment; filename="${table.fileName}"`)
  return context.body(csvOf(table, answer.items), 200, { 'content-type': CSV_TYPE })
}

function respondKept(context: Context<OriginEnv>, kept: KeptAnswer): Response {
  for (const [name, value] of Object.entries(kept.headers)) context.header(name, value)
  context.header('idempotent-replayed', 'true')
  const headers = { 'content-type': 'application/json' }
  return context.body(kept.body, kept.status as ContentfulStatusCode, headers)
}
