import type { Page } from 'playwright-core'
import { expect } from 'vitest'

/**
 * What an expression gives within a page, by the debugger's own evaluation: a page's policy does not reach it, so that the
 * policy stays as it is for people.
 */
export async function evaluate(page: Page, expression: string): Promise<unknown> {
  const session = await page.context().newCDPSession(page)
  try {
    const answer = await session.send('Runtime.evaluate', {
      expression,
      awaitPromise: true,
      returnByValue: true,
    })
    if (answer.exceptionDetails) throw new Error(answer.exceptionDetails.text)
    return answer.result.value
  } finally {
    await session.detach()
  }
}

/** Waits until an expression is true within a page. Playwright's own way asks the page to evaluate, which its policy forbids. */
export async function untilTrue(page: Page, expression: string): Promise<void> {
  await expect.poll(() => evaluate(page, expression), { timeout: 20_000 }).toBe(true)
}
