import {
  CHECKED_SOURCE_MAX_CHARS,
  type LanguageRequest,
  type LanguageResults,
  type NumberedRequest,
  type NumberedResponse,
} from '../language/protocol.ts'
import { LANGUAGE_SCRIPT } from './language-script.ts'

/** The service hangs if it does not respond within this time, for example on a type that grows without end. */
const HANGS_AFTER_MS = 30_000

type Settle = (response: NumberedResponse | undefined) => void

/**
 * Sends requests to the language service in its worker. Results are undefined as long as there is no service: while it
 * loads, and permanently after a failure. The editor then works without it.
 */
class LanguageClient {
  #worker: Worker | undefined
  #isReady = false
  #lastId = 0
  readonly #pending = new Map<number, Settle>()
  readonly #whenReady: (() => void)[] = []

  start(): void {
    try {
      this.#worker = new Worker(workerUrl())
    } catch {
      // The browser or an extension forbids workers.
      return
    }
    this.#worker.addEventListener('error', () => this.#stop())
    this.#worker.addEventListener('message', ({ data }: MessageEvent<NumberedResponse>) =>
      this.#receive(data),
    )
  }

  /** Calls back once, unless the service fails to load. */
  onReady(callback: () => void): void {
    if (this.#isReady) callback()
    else this.#whenReady.push(callback)
  }

  async request<Request extends LanguageRequest>(
    request: Request,
  ): Promise<LanguageResults[Request['method']] | undefined> {
    const worker = this.#worker
    if (!worker || !this.#isReady || request.source.length > CHECKED_SOURCE_MAX_CHARS)
      return undefined
    const id = ++this.#lastId
    const response = await new Promise<NumberedResponse | undefined>((settle) => {
      const timer = setTimeout(() => this.#stop(), HANGS_AFTER_MS)
      this.#pending.set(id, (received) => {
        clearTimeout(timer)
        settle(received)
      })
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- this is a worker, not a window
      worker.postMessage({ ...request, id } satisfies NumberedRequest)
    })
    return response?.result as LanguageResults[Request['method']] | undefined
  }

  #receive(response: NumberedResponse): void {
    const { id } = response
    if (id === undefined) {
      this.#isReady = true
      for (const callback of this.#whenReady.splice(0)) callback()
      return
    }
    this.#pending.get(id)?.(response)
    this.#pending.delete(id)
  }

  #stop(): void {
    this.#worker?.terminate()
    this.#worker = undefined
    for (const settle of this.#pending.values()) settle(undefined)
    this.#pending.clear()
  }
}

let client: LanguageClient | undefined

/** Loads the language service on the first call. All editors of the page share it. */
export function languageClient(): LanguageClient {
  if (!client) {
    client = new LanguageClient()
    client.start()
  }
  return client
}

type TrustedTypes = {
  createPolicy: (
    name: string,
    rules: { createScriptURL: () => string },
  ) => { createScriptURL: (url: string) => string }
}

/**
 * The content security policy allows this Trusted Types policy alone, which creates this URL and no other
 * (`edge/pages/layout/content-security-policy.ts`).
 */
function workerUrl(): string {
  const { trustedTypes } = globalThis as { trustedTypes?: TrustedTypes }
  if (!trustedTypes) return LANGUAGE_SCRIPT
  const policy = trustedTypes.createPolicy('language-worker', {
    createScriptURL: () => LANGUAGE_SCRIPT,
  })
  return policy.createScriptURL('')
}
