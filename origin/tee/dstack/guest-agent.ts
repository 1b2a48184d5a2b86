import { request } from 'node:http'
import { z } from 'zod'
import { tryParseJson } from '../../../shared/json/try-parse-json.ts'
import { decodeHex, encodeHex } from '../../../shared/encoding/hex.ts'
import { type EvidenceQuote, padReportData, TeeUnavailableError } from '../provider.ts'

/** The guest agent calls the platform's quoting enclave, which may be busy with other machines on the host. */
const RESPONSE_TIMEOUT_MS = 20_000
/** Maximum response size. The largest response contains the app-compose text twice, and the event log. */
const RESPONSE_MAX_BYTES = 4 * 1024 * 1024

/** Byte offset of the report data in a version 4 TDX quote. */
const REPORT_DATA_OFFSET = 568

const hexBytes = z
  .string()
  .transform((text) => decodeHex(text))
  .pipe(z.instanceof(Uint8Array, { error: 'expected hex' }))

const keySchema = z.object({ key: hexBytes, signature_chain: z.array(hexBytes).max(8) })
type AgentKey = z.infer<typeof keySchema>

const quoteSchema = z.object({
  quote: z.string().min(1),
  event_log: z.string(),
  report_data: z.string(),
  vm_config: z.string().default(''),
})

/** Response of the `Info` method. `tcb_info` arrives as JSON text and is parsed, as in the dstack SDK. */
const infoSchema = z.looseObject({
  app_id: z.string(),
  compose_hash: z.string(),
  tcb_info: z
    .string()
    .transform((text, context): unknown => {
      try {
        return JSON.parse(text)
      } catch {
        context.addIssue({ code: 'custom', message: 'expected JSON' })
        return z.NEVER
      }
    })
    .pipe(z.looseObject({ app_compose: z.string() })),
})
export type AgentInfo = z.infer<typeof infoSchema>

type GuestAgentOptions = {
  socketPath: string
  withinMs?: number
  maxBytes?: number
}

/**
 * Client of dstack's guest agent (Dstack-TEE/dstack, `guest-agent/rpc`). Sends JSON by POST over HTTP on a Unix socket.
 * Every failure throws `TeeUnavailableError`. Error messages never quote a response, because the response to `getKey`
 * contains the root key.
 */
export class GuestAgent {
  readonly #options: Required<GuestAgentOptions>

  constructor({ socketPath, withinMs, maxBytes }: GuestAgentOptions) {
    this.#options = {
      socketPath,
      withinMs: withinMs ?? RESPONSE_TIMEOUT_MS,
      maxBytes: maxBytes ?? RESPONSE_MAX_BYTES,
    }
  }

  /**
   * `purpose` does not affect the key, but is included in the signature over the key.
   * @throws {TeeUnavailableError}
   */
  getKey(path: string, purpose: string): Promise<AgentKey> {
    return this.#call('GetKey', { path, purpose }, keySchema)
  }

  /**
   * Requests a quote, and checks that it contains the report data.
   * @param reportData at most 64 bytes
   * @throws {TeeUnavailableError}
   */
  async getQuote(reportData: Uint8Array): Promise<EvidenceQuote> {
    const asked = encodeHex(padReportData(reportData))
    const answer = await this.#call('GetQuote', { report_data: asked }, quoteSchema)
    const inside = decodeHex(answer.quote)?.subarray(REPORT_DATA_OFFSET, REPORT_DATA_OFFSET + 64)
    if (answer.report_data.toLowerCase() !== asked || !inside || encodeHex(inside) !== asked)
      throw new TeeUnavailableError('the guest agent returned a quote for different report data')
    return answer
  }

  /** @throws {TeeUnavailableError} */
  info(): Promise<AgentInfo> {
    return this.#call('Info', {}, infoSchema)
  }

  async #call<Answer>(method: string, params: object, schema: z.ZodType<Answer>): Promise<Answer> {
    const { status, text } = await this.#post(method, JSON.stringify(params))
    if (status !== 200)
      throw new TeeUnavailableError(`the guest agent responded to ${method} with status ${status}`)
    const body = tryParseJson(text)
    // The agent may report a failure in a response with status 200.
    if (z.object({ error: z.unknown() }).safeParse(body).data?.error !== undefined)
      throw new TeeUnavailableError(`the guest agent responded to ${method} with an error`)
    const answer = schema.safeParse(body)
    if (answer.success) return answer.data
    const where = answer.error.issues.map(({ path }) => path.join('.') || 'the response').join(', ')
    throw new TeeUnavailableError(`the guest agent’s response to ${method} is malformed: ${where}`)
  }

  #post(method: string, body: string): Promise<{ status: number; text: string }> {
    const { socketPath, withinMs, maxBytes } = this.#options
    return new Promise((resolve, reject) => {
      const fail = (reason: string) =>
        reject(new TeeUnavailableError(`the guest agent did not respond to ${method}: ${reason}`))
      const sent = request(
        {
          socketPath,
          path: `/${method}`,
          method: 'POST',
          agent: false,
          signal: AbortSignal.timeout(withinMs),
          headers: {
            host: 'dstack',
            'content-type': 'application/json',
            'content-length': Buffer.byteLength(body),
          },
        },
        (response) => {
          const chunks: Buffer[] = []
          let bytes = 0
          response.on('data', (chunk: Buffer) => {
            bytes += chunk.length
            chunks.push(chunk)
            if (bytes > maxBytes) {
              fail(`more than ${maxBytes} bytes`)
              sent.destroy()
            }
          })
          response.on('error', (error) => fail(errorCode(error)))
          response.on('end', () => {
            const text = Buffer.concat(chunks).toString('utf8')
            resolve({ status: response.statusCode ?? 0, text })
          })
        },
      )
      sent.on('error', (error) => fail(errorCode(error)))
      sent.end(body)
    })
  }
}

function errorCode(error: Error & { code?: string }): string {
  return error.code ?? error.name
}
