/**
 * Defines an operation of the core API as data and a handler. `mountOperation` checks requests in this order: 503 for a
 * POST while the process drains, 429 if overloaded, 401, 400 and 422, a stored response, 402, 403, then the handler.
 * If the credential is in the body, 401 comes after 400 and 422. `openapi.json` is generated from the same data, so
 * clients read these definitions.
 *
 * To add an operation: create a file that exports an `Operation`, put its schemas in `shared/wire/`, and add the
 * operation to `operations.ts`.
 *
 * - `body` is validated JSON. `query` contains validated parameters; its schema takes an object of strings.
 * - `list: true` adds `page_number` and `page_size`. The handler selects its page first and converts only that page:
 *   `return page.of(wallets).map(toWalletRecord)`. `mountOperation` sends the items and `x-total-count`.
 * - `csv` also offers the list as CSV, for `?format=csv` or an `Accept` that prefers it. `mountOperation` formats the
 *   same items as CSV.
 * - `writeId` must be passed to the writer: `writer.write(name, args, { writeId })`. A repeat with the same
 *   Idempotency-Key has the same ID, so nothing is written twice. The receipt may then be that of the first write, with
 *   other arguments, so build the response from the receipt's logs and not from values generated for this call.
 * - `writes` is the name of the contract function that the operation calls, or a function that chooses it by the body.
 * The account is charged if the call succeeds, unless the write `isFree`. `writesUnless` returns true for bodies that
 * change nothing on the chain; such a request sends no transaction and is free of charge. `afterConversion` allows the
 * account key from before a conversion until the account is transferred (billing); see `authorize.ts`.
 * - `rate` limits by client address before the body is read, for expensive operations that need no key.
 * - `before` checks the request itself, such as a wallet's signature, before 402 and 403. It returns `resumes` if the
 *   write was sent earlier. The request is then not rejected for a state that its own write has caused.
 * - `auth: 'wallet_signature'`: the body contains `{typed_data, signature}` with the given purpose, and the signer is
 * the caller. `terms` computes the other values that the wallet must have signed. It is called after the signature was
 * verified. `walletAuth`: the header `X-Wallet-Auth` is accepted instead of a key, with a proof for this purpose (`true`:
 * `BillingAuth`).
 * - `showsKey` names the response field with the hash of the key that the response shows. Only that hash is
 *   stored. If the receipt contains another key's hash than the generated one, throw `KeyAlreadyShownError`.
 * - `runsOnce`: a repeat of a request that was started and then lost gets 409 `outcome_unknown` and is not started
 *   again.
 * - `keyIsIdentity`: the Idempotency-Key is passed to the handler, which recognizes repeated requests itself and without a
 * time limit. No response is stored.
 * - `statuses` lists the handler's own statuses, in addition to the implied ones (see `openapi/document.ts`).
 */
import type { Context, Hono } from 'hono'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import type { z } from 'zod'
import type { ErrorStatus } from '../../shared/errors/error-names.ts'
import { validate } from '../../shared/json/json-body.ts'
import type { Span } from '../../shared/telemetry/tracer.ts'
import type { Principal } from '../accounts/account.ts'
import { refreshPrincipal } from '../accounts/refresh-principal.ts'
import { type AuditContext, actorOf, operationName } from '../audit-log/context.ts'
import type { MinuteRate } from '../admission/minute-rate.ts'
import type { StoredResponse } from '../idempotency/response-codec.ts'
import type { OriginServices } from '../services.ts'
import type { ProofTerms, Purpose } from '../../shared/crypto/typed-data.ts'
import { type AuthKind, authenticateHeaders, type WalletAuthPurpose } from './authenticate.ts'
import { requireAllowedSource } from '../usage-keys/request-source.ts'
import { authorize } from './authorize.ts'
import { resolveClientAddress } from './client-address.ts'
import { trustConnection } from './connection/protect-connections.ts'
import { CSV_TYPE, type CsvFormat, wantsCsv } from './csv.ts'
import { formatCsv } from '../../shared/csv.ts'
import { readIdempotencyKey, executeOnce } from './idempotency.ts'
import { Page, type PageRequest, readPageRequest } from './page.ts'
import { recordRefusal } from './record-refusal.ts'
import { parseRequestBody, type RequestBody } from './request-body.ts'
import { type UnverifiedProof, authenticateSignature } from './wallet-signature.ts'

export type OriginEnv = {
  Variables: {
    requestId: string
    /** Span of the request, if its trace is sampled. */
    span?: Span | undefined
    /** Web origin that may read the response. Null for none. If absent, every web origin may. */
    readableBy?: string | null
  }
}
export type OriginApp = Hono<OriginEnv>

type OperationResult = object | string | boolean

type OperationInput<Body, Query> = {
  body: Body
  query: Query
  page: PageRequest
  /** Client address from the socket or the sealed envelope, never from a header; `''` if unknown. */
  clientAddress: string
  bodyBytes: number
  /** Aborted if the client disconnects before the response is sent. */
  gone: AbortSignal
  writeId: string
  /** `X-Request-Id` of the response. */
  requestId: string
  /** Span of the request, if its trace is sampled. */
  span?: Span | undefined
  /** Only for operations with `keyIsIdentity`. */
  idempotencyKey?: string
}

type OperationBase<Kind extends AuthKind, Body, Query, Caller> = {
  method: 'GET' | 'POST'
  path: string
  summary: string
  auth: Kind
  body?: RequestBody<Body>
  query?: z.ZodType<Query>
  list?: true
  csv?: CsvFormat
  /** Schema of the 200 response. If the operation returns a list, the schema of the array. */
  responseSchema: z.ZodType
  rate?(services: OriginServices): Pick<MinuteRate, 'take'>
  writes?: string | ((body: Body) => string)
  isFree?: true
  writesUnless?: (body: Body) => boolean
  afterConversion?: true
  before?(
    given: OperationInput<Body, Query> & Caller,
    services: OriginServices,
  ): Promise<'resumes' | undefined>
  walletAuth?: WalletAuthPurpose
  showsKey?: string
  runsOnce?: true
  keyIsIdentity?: true
  statuses?: readonly ErrorStatus[]
  handle(
    given: OperationInput<Body, Query> & Caller,
    services: OriginServices,
  ): Promise<OperationResult | Page<object>>
}

type AuthenticatedCaller = {
  principal: Principal
  /** Returns the context for the account's audit log. A change must be written together with its entry. */
  audit: () => AuditContext
}

export type Operation<Body = undefined, Query = undefined> =
  | OperationBase<'none', Body, Query, object>
  | OperationBase<'sent_key', Body, Query, { principal: Principal | undefined }>
  | OperationBase<'key' | 'account_key' | 'account_reader', Body, Query, AuthenticatedCaller>
  | (OperationBase<'wallet_signature', Body, Query, AuthenticatedCaller> & {
      purpose: Purpose | ((body: Body) => Purpose)
      terms?: (body: Body) => ProofTerms
    })

export function mountOperation<Body, Query>(
  app: OriginApp,
  services: OriginServices,
  operation: Operation<Body, Query>,
): void {
  app.on(operation.method, operation.path, async (context) => {
    if (operation.method === 'POST') services.drain.requireOpen()
    services.load.requireRoom()
    const client = { headers: context.req.raw.headers, address: resolveClientAddress(context) }
    const headerPrincipal = await authenticateHeaders(operation, client, services)
    if (headerPrincipal && headerPrincipal.wallet === undefined)
      services.keyUses.recordUse(headerPrincipal.keyHash)
    if (headerPrincipal) {
      requireAllowed(context, operation, headerPrincipal, client, services)
      await services.keyRate.take(headerPrincipal)
      trustConnection(context, headerPrincipal.account.hash)
    }
    operation.rate?.(services).take(client.address)
    const { bodyBudgets } = services
    const holder = headerPrincipal
      ? bodyBudgets.forAccount(headerPrincipal)
      : bodyBudgets.forClient(client.address)
    const { value: body, bytes } = await parseRequestBody(context, operation.body, holder)
    const principal =
      operation.auth === 'wallet_signature'
        ? await authenticateSignature(
            body as UnverifiedProof,
            {
              purpose: valueFor(body, operation.purpose),
              terms: () => operation.terms?.(body) ?? {},
            },
            client.address,
            services,
          )
        : headerPrincipal
    const given = {
      body,
      // The cast is safe: the query type of an operation without query parameters is `undefined`.
      query: operation.query
        ? validate(operation.query, context.req.query())
        : (undefined as Query),
      page: readPageRequest(context, operation.list),
      clientAddress: client.address,
      bodyBytes: bytes.length,
      requestId: context.get('requestId'),
      span: context.get('span'),
      gone: context.req.raw.signal,
    }
    const csvFormat = wantsCsv(context, operation.csv) ? operation.csv : undefined
    const idempotencyKey = readIdempotencyKey(context, operation, principal)
    const isIdentity = operation.keyIsIdentity && idempotencyKey !== undefined
    const execute = (writeId: string) =>
      executeOperation(
        operation,
        services,
        { ...given, writeId, ...(isIdentity && { idempotencyKey }) },
        principal,
      )
    if (!principal || idempotencyKey === undefined || isIdentity)
      return respond(context, await execute(crypto.randomUUID()), csvFormat)
    const request = { operation, principal, idempotencyKey, body: bytes }
    const answer = await executeOnce(request, services, execute)
    return 'kept' in answer
      ? respondStored(context, answer.kept)
      : respond(context, answer.fresh, csvFormat)
  })
}

/**
 * Also lets only allowed origins read the response, if the key is restricted to them.
 * @throws {OriginNotAllowedError | AddressNotAllowedError}
 */
function requireAllowed(
  context: Context<OriginEnv>,
  operation: { path: string },
  principal: Principal,
  { headers, address }: { headers: Headers; address: string },
  services: Pick<OriginServices, 'keyLimits' | 'auditLog' | 'refusals'>,
): void {
  const limits = services.keyLimits.of(principal)
  if (!limits) return
  const origin = headers.get('origin')
  const isAllowed = origin !== null && limits.allowedOrigins?.includes(origin)
  if (limits.allowedOrigins) context.set('readableBy', isAllowed ? origin : null)
  try {
    requireAllowedSource(limits, { origin, address })
  } catch (error) {
    const client = { clientAddress: address, requestId: context.get('requestId') }
    recordRefusal(error, () => auditContext(operation, services, client, principal), services)
    throw error
  }
}

async function executeOperation<Body, Query>(
  operation: Operation<Body, Query>,
  services: OriginServices,
  given: OperationInput<Body, Query>,
  principal: Principal | undefined,
): Promise<OperationResult | Page<object>> {
  if (operation.auth === 'none') return operation.handle(given, services)
  if (operation.auth === 'sent_key') return operation.handle({ ...given, principal }, services)
  if (!principal) throw new Error('an operation with a key has a principal')
  const audit = () => auditContext(operation, services, given, principal)
  try {
    return await executeAsCaller(operation, services, given, { principal, audit })
  } catch (error) {
    recordRefusal(error, audit, services)
    throw error
  }
}

function auditContext(
  { path }: { path: string },
  { auditLog }: Pick<OriginServices, 'auditLog'>,
  {
    clientAddress,
    requestId,
  }: Pick<OperationInput<unknown, unknown>, 'clientAddress' | 'requestId'>,
  principal: Principal,
): AuditContext {
  return auditLog.contextOf({
    accountHash: principal.account.hash,
    operation: operationName(path),
    actor: actorOf(principal),
    requestId,
    clientAddress,
  })
}

async function executeAsCaller<Body, Query>(
  operation: Exclude<Operation<Body, Query>, { auth: 'none' | 'sent_key' }>,
  services: OriginServices,
  given: OperationInput<Body, Query>,
  caller: AuthenticatedCaller,
): Promise<OperationResult | Page<object>> {
  const { principal } = caller
  const { auth, writes, writesUnless, afterConversion } = operation
  const isWrite = writes !== undefined && writesUnless?.(given.body) !== true
  const resumes = (await operation.before?.({ ...given, ...caller }, services)) === 'resumes'
  const executeAuthorized = async () => {
    const { mirror, keyLimits } = services
    const current = withReadRight(
      refreshPrincipal(principal, mirror.current(), keyLimits),
      keyLimits,
    )
    const authorization = {
      auth,
      ...(isWrite &&
        !resumes && {
          writes: valueFor(given.body, writes),
          clientMethod: clientMethodName(operation.path),
        }),
      ...((afterConversion || resumes) && { afterConversion: true as const }),
    }
    authorize(authorization, current, services.chain)
    return operation.handle({ ...given, ...caller, principal: current }, services)
  }
  if (!isWrite || operation.isFree) return executeAuthorized()
  const { account, keyHash } = principal
  const charge = { accountHash: account.hash, keyHash, subject: operation.path }
  return services.credits.chargeForWrite(charge, executeAuthorized)
}

function withReadRight(
  principal: Principal,
  keyLimits: Pick<OriginServices['keyLimits'], 'of'>,
): Principal {
  if (keyLimits.of(principal)?.canReadAccount !== true) return principal
  return { ...principal, canReadAccount: true }
}

/** Resolves a property that is either a value or a function of the body. */
function valueFor<Body, Value extends string>(
  body: Body,
  value: Value | ((body: Body) => Value),
): Value {
  return typeof value === 'function' ? value(body) : value
}

function clientMethodName(path: string): string {
  const name = path.slice(path.lastIndexOf('/') + 1)
  return name.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())
}

/** @param csvFormat CSV format of the list, if the client requested CSV */
function respond(
  context: Context<OriginEnv>,
  answer: OperationResult | Page<object>,
  csvFormat?: CsvFormat,
): Response {
  if (!(answer instanceof Page)) return context.json(answer)
  context.header('x-total-count', String(answer.total))
  if (!csvFormat) return context.json(answer.items)
  context.header('content-disposition', `attachment; filename="${csvFormat.fileName}"`)
  return context.body(formatCsv(csvFormat.columns, answer.items), 200, { 'content-type': CSV_TYPE })
}

function respondStored(context: Context<OriginEnv>, kept: StoredResponse): Response {
  for (const [name, value] of Object.entries(kept.headers)) context.header(name, value)
  context.header('idempotent-replayed', 'true')
  const headers = { 'content-type': 'application/json' }
  return context.body(kept.body, kept.status as ContentfulStatusCode, headers)
}
