import type { Page } from 'playwright-core'

/** Keeps requests waiting until what it gives is called. */
export async function heldBack(page: Page, path: string): Promise<() => void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  await page.route(path, async (route) => {
    await promise
    await route.continue()
  })
  return resolve
}
