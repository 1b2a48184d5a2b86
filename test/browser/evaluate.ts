import type { CDPSession, Page } from 'playwright-core'
import { expect } from 'vitest'

/** One session per page, because attaching takes longer than most evaluations. */
const sessions = new WeakMap<Page, Promise<CDPSession>>()

function sessionOf(page: Page): Promise<CDPSession> {
  const attached = sessions.get(page) ?? page.context().newCDPSession(page)
  sessions.set(page, attached)
  return attached
}

/** Evaluates an expression through the debugger, which the page's content security policy does not restrict. */
export async function evaluate(page: Page, expression: string): Promise<unknown> {
  const session = await sessionOf(page)
  const answer = await session.send('Runtime.evaluate', {
    expression,
    awaitPromise: true,
    returnByValue: true,
  })
  if (answer.exceptionDetails) throw new Error(answer.exceptionDetails.text)
  return answer.result.value
}

/** Polls until an expression is true. `page.waitForFunction` would require `unsafe-eval` in the page's policy. */
export async function untilTrue(page: Page, expression: string): Promise<void> {
  await expect.poll(() => evaluate(page, expression), { timeout: 20_000 }).toBe(true)
}
