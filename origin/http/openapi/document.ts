import {
  type OpenApiOperation,
  errorSchema,
  failureResponses,
  jsonContent,
  LICENSE,
  type OpenApiDocument,
} from '../../../shared/openapi/document.ts'
import { idempotencyKeyParameter } from '../../../shared/openapi/idempotency-key.ts'
import { jsonSchemaOf } from '../../../shared/openapi/json-schema.ts'
import { allowNulls } from '../../../shared/openapi/allow-nulls.ts'
import { queryParameters } from '../../../shared/openapi/query-parameters.ts'
import { API_VERSION, VERSION } from '../../version.ts'
import { CSV_TYPE, type CsvFormat, formatQuery } from '../csv.ts'
import { formatCsv } from '../../../shared/csv.ts'
import type { Operation } from '../operation.ts'
import { pageQuery } from '../page.ts'
import { coreErrorResponses, responseHeaders } from './errors.ts'
import { operationExamples } from './examples.ts'
import { extraPaths } from './extra-paths.ts'
import type { ErrorStatus } from '../../../shared/errors/error-names.ts'

/** @param publicUrl URL at which clients reach this origin */
export function coreOpenApiDocument(
  operations: readonly Operation<any, any>[],
  publicUrl: string,
): OpenApiDocument {
  const described = operations.map((operation) => [
    operation.path,
    { [operation.method.toLowerCase()]: describeOperation(operation) },
  ])
  return {
    openapi: '3.1.0',
    info: {
      title: 'svc core API',
      version: API_VERSION,
      description: `Accounts, wallets, groups, usage keys and executions (software ${VERSION}).`,
      license: LICENSE,
    },
    servers: [{ url: publicUrl }],
    components: {
      schemas: { Error: errorSchema },
      responses: coreErrorResponses,
      headers: responseHeaders,
      securitySchemes: {
        ApiKey: { type: 'apiKey', in: 'header', name: 'X-Api-Key' },
        Bearer: { type: 'http', scheme: 'bearer' },
        WalletAuth: {
          type: 'apiKey',
          in: 'header',
          name: 'X-Wallet-Auth',
          description:
            'A signature of the admin wallet of a ChainSecured account, in place of a key: base64 of {typed_data, signature} with primaryType BillingAuth, or SendTransactions for operations that send or change transactions, issued within the last 300 s.',
        },
      },
    },
    paths: { ...Object.fromEntries(described), ...extraPaths },
  }
}

function describeOperation(operation: Operation<any, any>): OpenApiOperation {
  const { path, summary, body } = operation
  return {
    operationId: path.slice(1).replaceAll(/[^a-z0-9]+/gi, '_'),
    summary,
    security: securityOf(operation),
    parameters: [...headerParameters(operation), ...queryParametersOf(operation)],
    ...(body
      ? {
          requestBody: {
            required: body.optional !== true,
            content: jsonContent(
              allowNulls(jsonSchemaOf(body.schema, 'input')),
              operationExamples[path]?.request,
            ),
          },
        }
      : {}),
    responses: {
      200: describeSuccess(operation),
      ...failureResponses(...failureStatuses(operation)),
    },
  }
}

/** Omits a signature in the body, because OpenAPI has no scheme for it. */
function securityOf({ auth, walletAuth }: Operation<any, any>): object[] {
  if (auth === 'none' || auth === 'wallet_signature') return []
  return [{ ApiKey: [] }, { Bearer: [] }, ...(walletAuth ? [{ WalletAuth: [] }] : [])]
}

function describeSuccess({ path, responseSchema, list, csv }: Operation<any, any>): object {
  const header = (name: string) => ({ [name]: { $ref: `#/components/headers/${name}` } })
  return {
    description: 'Done.',
    headers: { ...header('x-request-id'), ...(list ? header('x-total-count') : {}) },
    content: {
      ...jsonContent(jsonSchemaOf(responseSchema, 'output'), operationExamples[path]?.answer),
      ...(csv ? csvContent(csv, operationExamples[path]?.answer) : {}),
    },
  }
}

function csvContent(form: CsvFormat, records: unknown): object {
  const description = `RFC 4180, with the columns ${form.columns.join(', ')}.`
  const example = formatCsv(form.columns, Array.isArray(records) ? records : [])
  return { [CSV_TYPE]: { schema: { type: 'string', description }, example } }
}

/** Operations without an API key, such as `new_account`, ignore the header. */
function headerParameters({ method, auth, keyIsIdentity }: Operation<any, any>): object[] {
  if (method !== 'POST' || auth === 'none') return []
  const description = keyIsIdentity
    ? 'A unique ID that you choose, such as the number of an invoice. It identifies the transaction permanently: a repeated request with the same ID sends nothing, and returns the transaction as it is then. The same ID with another request is rejected with 409.'
    : 'A random ID that you choose. For 24 hours, a repeated request with the same ID returns the first response, so it is safe to retry.'
  return [idempotencyKeyParameter(description)]
}

function queryParametersOf({ query, list, csv }: Operation<any, any>): object[] {
  const schemas = [query, list ? pageQuery : undefined, csv ? formatQuery : undefined]
  return schemas.flatMap((schema) => (schema ? queryParameters(schema) : []))
}

/** Lists the error statuses of an operation: those implied by its properties, and those in its `statuses`. */
function failureStatuses(operation: Operation<any, any>): ErrorStatus[] {
  const { auth, walletAuth, body, query, list, csv, method } = operation
  const { writes, isFree, statuses = [] } = operation
  // 429 if the origin is overloaded, and 500 for an internal error.
  const found = new Set<ErrorStatus>([...statuses, 429, 500])
  const add = (...more: ErrorStatus[]) => more.forEach((status) => found.add(status))
  // 503 if the accounts mirror is too old to resolve keys.
  if (auth !== 'none') add(401, 503)
  // 400 if two credentials were sent, or if the proof in the header is malformed.
  if (auth !== 'none') add(400)
  if (walletAuth) add(422)
  const isKeyed = auth === 'key' || auth === 'account_key' || auth === 'account_reader'
  // 403 if a usage key was sent but the account key is required, or if the account was converted after the account key
  // was issued.
  if (isKeyed) add(403)
  // 408 if the body arrived too slowly, and 503 if no memory was available for the body, or if the process drains.
  if (body) add(400, 408, 413, 415, 422, 503)
  if (query) add(400, 422)
  if (list || csv) add(400)
  // Idempotency-Key: 400 if the key is malformed, 409 if a request with the same key is in flight, 422 if the first
  // request with the key had another body.
  if (auth !== 'none' && method === 'POST') add(400, 409, 422)
  if (writes !== undefined && !isFree) add(402)
  return [...found].toSorted((a, b) => a - b)
}
