import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { z } from 'zod'
import { fromResponse, type Responder } from './routes.ts'
import type { SentRequest, SentResponse } from './sandbox/messages.ts'
import { TestSetupError } from './test-setup-error.ts'
import type { Recording, RecordingOptions } from './types.ts'

/** Set by `svc test --record`. */
const RECORD_VARIABLE = 'SVC_TEST_RECORD'

const bodySchema = z.union([
  z.strictObject({ text: z.string() }),
  z.strictObject({ base64: z.string() }),
])
type Body = z.infer<typeof bodySchema>

const exchangeSchema = z.strictObject({
  request: z.strictObject({ method: z.string(), url: z.string(), body: bodySchema.optional() }),
  response: z.strictObject({
    status: z.int(),
    statusText: z.string(),
    headers: z.array(z.tuple([z.string(), z.string()])),
    body: bodySchema.optional(),
  }),
})
const fileSchema = z.strictObject({ version: z.literal(1), exchanges: z.array(exchangeSchema) })
type Exchange = z.infer<typeof exchangeSchema>

/** Parameters of URLs whose values are not recorded. */
const SECRET_PARAMETER = /key|token|secret|signature|password|auth|^sig$/i
const REDACTED = 'redacted'

/** Headers of responses that are not recorded. */
const UNRECORDED_HEADERS = new Set(['set-cookie', 'date', 'connection', 'keep-alive'])

/** Exchanges of earlier processes are dropped when a file is recorded for the first time in this process. */
const recorded = new Map<string, Exchange[]>()

/** Responses from a file. `svc test --record` sends the requests over the network, and replaces the file. */
export class RecordingFile implements Recording {
  readonly file: string
  readonly #redact: (text: string) => string

  constructor(file: string, { redact = (text) => text }: RecordingOptions = {}) {
    this.file = resolve(file)
    this.#redact = redact
  }

  /** Returns a responder for one run. @throws {TestSetupError} if the file does not exist or is invalid */
  open(): Responder {
    return process.env[RECORD_VARIABLE] ? this.#recorder() : this.#player()
  }

  #recorder(): Responder {
    return {
      respond: async (request) => {
        const { method, url, headers, body } = request
        const response = await fromResponse(
          await fetch(url, {
            method,
            headers,
            redirect: 'manual',
            ...(body.length > 0 && { body: Uint8Array.from(body) }),
          }),
        )
        this.#save({ request: this.#shown(request), response: this.#shownResponse(response) })
        return response
      },
      hint: () => '',
    }
  }

  #player(): Responder {
    const unused = this.#read()
    return {
      respond: async (request) => {
        const wanted = JSON.stringify(this.#shown(request))
        const at = unused.findIndex((exchange) => JSON.stringify(exchange.request) === wanted)
        const [found] = at < 0 ? [] : unused.splice(at, 1)
        if (!found) return undefined
        const { status, statusText, headers, body } = found.response
        return { delayMs: 0, status, statusText, headers, body: bytesOf(body) }
      },
      hint: (request) => {
        const { url } = this.#shown(request)
        const isOther = unused.some((exchange) => exchange.request.url === url)
        return `${this.file} does not contain it${isOther ? ' with this method and body' : ''}; record it with svc test --record.`
      },
    }
  }

  #read(): Exchange[] {
    if (!existsSync(this.file))
      throw new TestSetupError(`${this.file} does not exist; record it with svc test --record`)
    try {
      return fileSchema.parse(JSON.parse(readFileSync(this.file, 'utf8'))).exchanges
    } catch {
      throw new TestSetupError(
        `${this.file} is not a recording; delete it, and record it with svc test --record`,
      )
    }
  }

  #save(exchange: Exchange): void {
    const exchanges = recorded.get(this.file) ?? []
    exchanges.push(exchange)
    recorded.set(this.file, exchanges)
    mkdirSync(dirname(this.file), { recursive: true })
    writeFileSync(this.file, `${JSON.stringify({ version: 1, exchanges }, null, 2)}\n`)
  }

  #shown({ method, url, body }: SentRequest): Exchange['request'] {
    const shown = new URL(url)
    for (const name of shown.searchParams.keys())
      if (SECRET_PARAMETER.test(name)) shown.searchParams.set(name, REDACTED)
    const content = this.#body(body)
    return { method, url: this.#redact(shown.href), ...(content && { body: content }) }
  }

  #shownResponse(response: SentResponse): Exchange['response'] {
    if ('failure' in response) throw new Error('a failed request cannot be recorded')
    const { status, statusText, headers, body } = response
    const kept = headers.filter(([name]) => !UNRECORDED_HEADERS.has(name))
    const content = this.#body(body)
    return { status, statusText, headers: kept, ...(content && { body: content }) }
  }

  #body(bytes: Uint8Array): Body | undefined {
    if (bytes.length === 0) return undefined
    try {
      return { text: this.#redact(new TextDecoder('utf-8', { fatal: true }).decode(bytes)) }
    } catch {
      return { base64: Buffer.from(bytes).toString('base64') }
    }
  }
}

function bytesOf(body: Body | undefined): Uint8Array {
  if (!body) return new Uint8Array(0)
  return 'text' in body ? Buffer.from(body.text) : Buffer.from(body.base64, 'base64')
}
