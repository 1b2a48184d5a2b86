import { createHash, randomBytes } from 'node:crypto'

import { CoreClient } from './core.ts'
import type { Fetch } from './http.ts'
import { TriggersClient } from './triggers.ts'

export type SpecClientOptions = {
  baseUrl: string
  triggersUrl: string
  /** Defaults to the global one; a stack with a CA of its own passes one that trusts it. */
  fetch?: Fetch
  /** Stands for a human: opens the address signed in, and presses Authorize. */
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

  /** triggers, Authentication 2 and 3: the token is made here, and only its hash is shown. */
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
