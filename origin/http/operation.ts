/**
 * Defines an operation of the core API as data and a handler. `mount` checks requests in this order: 429 if overloaded,
 * 401, 400 and 422, a stored response, 402, 403, then the handler. If the credential is in the body, 401 comes after
 * 400 and 422. `openapi.json` is generated from the same data, so clients read these definitions.
 *
 * To add one: create a file that exports an `Operation`, put its schemas in `shared/wire/`, and add it to
 * `operations.ts`.
 *
 * - `body` is validated JSON; `query` is validated parameters, whose schema takes an object of strings.
 * - `list: true` adds `page_number` and `page_size`. The handler selects its page first and converts only that page:
 *   `return page.of(wallets).map(walletRecord)`. `mount` sends the items and `x-total-count`.
 * - `csv` also offers the list as CSV, for `?format=csv` or an `Accept` that prefers it. `mount` formats the same
 *   items.
 * - `writeId` must be passed to the writer: `writer.write(name, args, { writeId })`. A repeat with the same
 *   Idempotency-Key has the same ID, so nothing is written twice. The receipt may then be that of the first write, with
 *   other arguments, so build the response from the receipt's logs and not from values generated for this call.
 * - `writes` names the contract function that the operation calls. The account is charged if the call succeeds, unless
 *   the write `isFree`. `writesUnless` returns true for bodies that change nothing on the chain; such a request sends
 *   no transaction and is free of charge. `afterConversion` allows the account key from before a conversion until the
 *   account is transferred (billing); see `authorize.ts`.
 * - `rate` limits by client address before the body is read, for expensive operations that need no key.
 * - `before` checks the request itself, such as a wallet's signature, before 402 and 403. It returns `resumes` if the
 *   write was sent earlier. The request is then not rejected for a state that its own write has caused.
 * - `auth: 'wallet_signature'`: the body contains `{typed_data, signature}` with the given purpose, and the signer is
 *   the caller. `walletAuth`: the header `X-Wallet-Auth` is accepted instead of a key (billing).
 * - `showsKey` names the response field with the hash of the key that the response shows. Only that hash is
 *   stored. If the receipt contains another key's hash than the generated one, throw `KeyShownBefore`.
 * - `runsOnce`: a repeat of a request that was started and then lost gets 409 `outcome_unknown` and is not started
 *   again.
 * - `statuses` lists the handler's own statuses, in addition to the implied ones (see `openapi/statuses.ts`).
 */
import type { Context, Hono } from 'hono'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import type { z } from 'zod'
import type { ErrorStatus } from '../../shared/error-names.ts'
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

export type Given<Body, Query> = {
  body: Body
  query: Query
  page: PageRequest
  /** Address from the socket or the sealed envelope, never from a header; `''` if unknown. */
  clientAddress: string
  /** Size of the raw request body. */
  bodyBytes: number
  /** Aborted if the client disconnects before the response. */
  gone: AbortSignal
  writeId: string
}

type Common<Kind extends Auth, Body, Query, Caller> = {
  method: 'GET' | 'POST'
  path: string
  /** One sentence, shown in the OpenAPI description. */
  summary: string
  auth: Kind
  /** Absent if the operation takes no body. */
  body?: RequestBody<Body>
  query?: z.ZodType<Query>
  list?: true
  csv?: CsvForm
  /** Schema of the 200 response; for a list, of the array. */
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

/** Checks credit (402) and permissions (403) first. Writes are charged to the account. */
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

/** The last path segment in camel case. */
function clientMethodOf(path: string): string {
  const name = path.slice(path.lastIndexOf('/') + 1)
  return name.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())
}

/** @param table the CSV form, if the client asked for a list as CSV */
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
