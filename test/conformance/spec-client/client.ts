import { createHash, randomBytes } from 'node:crypto'

import { CoreClient } from './core.ts'
import type { Fetch } from './http.ts'
import { TriggersClient } from './triggers.ts'

export type SpecClientOptions = {
  baseUrl: string
  triggersUrl: string
  /** Defaults to the global `fetch`. A stack with its own CA passes one that trusts it. */
  fetch?: Fetch
  /** Simulates a user: opens the URL signed in, and presses Authorize. */
  browser: (url: string) => Promise<void>
}

export class SpecClient {
  readonly core: CoreClient
  readonly triggers: TriggersClient
  readonly #browser: (url: string) => Promise<void>

  constructor({ baseUrl, triggersUrl, fetch = globalThis.fetch, browser }: SpecClientOptions) {
    this.core = new CoreClient(baseUrl, fetch)
    this.triggers = new TriggersClient(triggersUrl, fetch)
    this.#browser = browser
  }

  /** Creates the token locally and shows only its hash. */
  async authorize(token = newToken()): Promise<string> {
    await this.#browser(this.triggers.authorizeUrl(challengeOf(token)))
    return token
  }
}

export function newToken(): string {
  return randomBytes(48).toString('base64url')
}

export function challengeOf(token: string): string {
  return createHash('sha256').update(token, 'utf8').digest('base64url')
}
