/**
 * One stack and one browser for all end-to-end tests. Each test has its own visitors, and fails if they have
 * complaints.
 */
import type { Browser, BrowserContextOptions, Cookie } from 'playwright-core'
import { afterAll, afterEach, beforeAll, expect } from 'vitest'
import { type ProcessorDouble, startProcessor } from '../doubles/processor/server.ts'
import { type StartedStack, startStack } from '../system/stack.ts'
import { type AnotherSite, anotherSite } from './another-site.ts'
import { launchChromium } from './chromium.ts'
import { EdgeDatabase } from './edge-database.ts'
import { takePicturesOf } from './pictures.ts'
import { Visitor } from './visitor.ts'

// Short limit, because tests wait for actions that never finish.
const SHORT_RUNS = { SVC_EXECUTION_CPU_MS: '2000' }

export class Walks {
  #stack: StartedStack | undefined
  #browser: Browser | undefined
  #processor: ProcessorDouble | undefined
  readonly #cookies = new Map<string, Cookie[]>()
  readonly #visitors: Visitor[] = []
  readonly #sites: AnotherSite[] = []

  /** Registers set-up and clean-up in the enclosing `describe`. */
  constructor() {
    beforeAll(async () => {
      this.#processor = await startProcessor()
      const settings = { ...this.#processor.settings, ...SHORT_RUNS }
      const [stack, browser] = await Promise.all([
        startStack({ originSettings: settings }),
        launchChromium(),
      ])
      this.#stack = stack
      this.#browser = browser
    })
    afterEach(async ({ task }) => {
      const visitors = this.#visitors.splice(0)
      if (task.result?.state === 'fail')
        for (const { context } of visitors) await takePicturesOf(context, `failed-${task.name}`)
      await Promise.all(visitors.map((visitor) => visitor.close()))
      for (const site of this.#sites.splice(0)) site.close()
      for (const { complaints } of visitors) expect(complaints, 'no complaints').toEqual([])
    })
    afterAll(async () => {
      await this.#browser?.close()
      await this.#stack?.stop()
      await this.#processor?.close()
    })
  }

  get stack(): StartedStack {
    return this.#stack!
  }

  /** The processor that accounts are paid through. */
  get processor(): ProcessorDouble {
    return this.#processor!
  }

  get triggersUrl(): string {
    return this.stack.triggersUrl
  }

  get database(): EdgeDatabase {
    return new EdgeDatabase(this.stack.stateDir)
  }

  async visitor(options: BrowserContextOptions = {}): Promise<Visitor> {
    const visitor = await Visitor.at(this.triggersUrl, this.#browser!, options)
    this.#visitors.push(visitor)
    return visitor
  }

  /** Signs in once per address. Later visitors reuse the cookies and start on an empty page. */
  async signedIn(email = 'member@example.com'): Promise<Visitor> {
    const visitor = await this.visitor()
    const before = this.#cookies.get(email)
    if (before) await visitor.context.addCookies(before)
    else {
      await visitor.signIn(email)
      this.#cookies.set(email, await visitor.context.cookies())
    }
    return visitor
  }

  async anotherSite(documents: Record<string, string>): Promise<AnotherSite> {
    const site = await anotherSite(documents)
    this.#sites.push(site)
    return site
  }

  /** Calls `/api/me` with a program's token. */
  async me(token: string): Promise<{ status: number; body: unknown }> {
    const answer = await fetch(`${this.triggersUrl}/api/me`, {
      headers: { authorization: `Bearer ${token}` },
    })
    return { status: answer.status, body: await answer.json() }
  }
}
