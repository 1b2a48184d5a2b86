/** Requests, responses, and the two error formats of the core API. */

export type Fetch = (url: string, init?: RequestInit) => Promise<Response>
export type Fields = Record<string, unknown>
export type Answer = { status: number; headers: Headers; text: string; body: unknown }
export type Question = {
  method: string
  url: string
  headers?: Record<string, string>
  json?: unknown
  /** Sent verbatim, instead of `json`. */
  raw?: string | Uint8Array<ArrayBuffer>
}
export type ErrorShape = 'structured' | 'message' | 'neither'

/** A violation of a specification by the server. */
export class SpecViolation extends Error {
  override name = 'SpecViolation'
}

/** A response other than 2xx. `body` is the parsed JSON, or the text if it is not JSON. */
export class SpecError extends Error {
  override name = 'SpecError'
  readonly status: number
  readonly body: unknown
  readonly shape: ErrorShape

  constructor(question: Question, answer: Answer) {
    super(
      `${question.method} ${question.url} answered ${answer.status}: ${answer.text.slice(0, 500)}`,
    )
    this.status = answer.status
    this.body = answer.body
    this.shape = shapeOf(answer.body, answer.text)
  }
}

export async function send(fetch: Fetch, question: Question): Promise<Answer> {
  const headers: Record<string, string> = { ...question.headers }
  const init: RequestInit = { method: question.method, headers }
  if (question.raw !== undefined) init.body = question.raw
  else if (question.json !== undefined) init.body = JSON.stringify(question.json)
  if (init.body !== undefined) headers['content-type'] ??= 'application/json'
  const response = await fetch(question.url, init)
  const text = await response.text()
  return { status: response.status, headers: response.headers, text, body: parsed(text) }
}

/** @returns the response. @throws {SpecError} unless it is 2xx */
export async function ask(fetch: Fetch, question: Question): Promise<Answer> {
  const answer = await send(fetch, question)
  if (answer.status < 200 || answer.status > 299) throw new SpecError(question, answer)
  return answer
}

/** Like `ask`, but also checks that an error has one of the two formats and the code of its status. */
export async function askCore(fetch: Fetch, question: Question): Promise<Answer> {
  try {
    return await ask(fetch, question)
  } catch (error) {
    if (error instanceof SpecError) holdToErrorTable(error)
    throw error
  }
}

/** @throws {SpecViolation} if the value is not an object */
export function fieldsOf(value: unknown): Fields {
  if (isFields(value)) return value
  throw new SpecViolation(`no object: ${JSON.stringify(value)}`)
}

export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

const WORD_OF_STATUS: Record<number, string> = {
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

function holdToErrorTable(error: SpecError): void {
  if (error.shape === 'neither') {
    throw new SpecViolation(`an error body of neither shape: ${error.message}`)
  }
  const word = WORD_OF_STATUS[error.status]
  if (error.shape !== 'structured' || word === undefined || !isFields(error.body)) return
  if (error.body['error'] !== word) {
    throw new SpecViolation(`status ${error.status} goes with error "${word}": ${error.message}`)
  }
}

function shapeOf(body: unknown, text: string): ErrorShape {
  if (isFields(body)) {
    const complete = ['error', 'message', 'fix', 'docs_url'].every(
      (name) => typeof body[name] === 'string',
    )
    return complete ? 'structured' : 'neither'
  }
  return typeof body === 'string' && text.trimStart().startsWith('"') ? 'message' : 'neither'
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
