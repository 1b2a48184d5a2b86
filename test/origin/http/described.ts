/** Checks every response that a test receives against the API description. */
import { coreOpenApiDocument } from '../../../origin/http/openapi/document.ts'
import { operations } from '../../../origin/http/operations.ts'
import { z } from 'zod'
import { HEALTH_PATH } from '../../../shared/wire/monitoring-paths.ts'
import { originHealthSchema } from '../../../shared/wire/origin-health.ts'

const { paths } = coreOpenApiDocument(operations, 'https://origin.test')
const answers = new Map(
  operations.map(({ method, path, responseSchema: answer }) => [`${method} ${path}`, answer]),
)

const structured = z.strictObject({
  error: z.string(),
  reason: z.string().optional(),
  message: z.string(),
  fix: z.string(),
  docs_url: z.string(),
})
const failure = z.union([z.string(), structured])

/** The error word of each status. */
const WORDS: Readonly<Record<number, string>> = {
  400: 'bad_request',
  401: 'unauthorized',
  402: 'payment_required',
  403: 'forbidden',
  404: 'not_found',
  422: 'unprocessable_entity',
  429: 'too_many_requests',
  500: 'internal_error',
  503: 'service_unavailable',
}

/**
 * Checks a structured error against the words above, and its finer reason against the header.
 * @throws {Error} if they differ
 */
export function requireSpecifiedWord(answer: {
  status: number
  headers: Headers
  body: unknown
}): void {
  const { status, headers, body } = answer
  const read = structured.safeParse(body)
  if (status < 400 || !read.success) return
  const { error, reason } = read.data
  const word = WORDS[status] ?? error
  if (error !== word) throw new Error(`${status} has the error ${error}, and ${word} is specified`)
  const named = headers.get('x-svc-error') ?? undefined
  if (reason !== named) throw new Error(`the reason ${reason} is ${named} in x-svc-error`)
}

/** @throws {Error} if a described operation returns something that its description does not allow */
export function requireDescribed(
  request: { method: string; path: string },
  answer: { status: number; headers: Headers; body: unknown },
): void {
  const path = request.path.replace(/\?.*$/, '')
  const described = paths[path]?.[request.method.toLowerCase()]
  if (!described) return
  const where = `${request.method} ${path}`
  if (!(answer.status in described.responses))
    throw new Error(`${where} answered ${answer.status}, which its description does not list`)
  const type = answer.headers.get('content-type') ?? ''
  const { content = {} } = described.responses[answer.status] as { content?: object }
  if (answer.status === 200 && !(type in content))
    throw new Error(`${where} answered ${type}, which its description does not list`)
  // Tests that request a CSV table check its text themselves.
  if (type.startsWith('text/csv')) return
  const schema =
    path === HEALTH_PATH ? originHealthSchema : answer.status === 200 ? answers.get(where) : failure
  const fits = schema?.safeParse(answer.body)
  if (fits?.success === false)
    throw new Error(`${where} answered another shape than described: ${fits.error.message}`)
}
