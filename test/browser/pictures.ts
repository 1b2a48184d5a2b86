/** Screenshots for review: of every state if `TEST_PICTURES` names a folder, otherwise only of failed tests. */
import { fileURLToPath } from 'node:url'
import { join } from 'node:path'
import type { BrowserContext, Page } from 'playwright-core'

const requested = process.env['TEST_PICTURES'] || undefined

// The default folder is ignored by git.
const FOLDER = requested ?? fileURLToPath(new URL('../artifacts/', import.meta.url))

export const picturesRequested = requested !== undefined

export async function takePicture(page: Page, name: string): Promise<void> {
  const file = `${name.replaceAll(/[^\p{L}\p{N}]+/gu, '-').slice(0, 120)}.png`
  await page.screenshot({ path: join(FOLDER, file), fullPage: true })
}

/** Takes a screenshot of each open page that still responds. */
export async function takePicturesOf(context: BrowserContext, name: string): Promise<void> {
  const pages = context.pages()
  await Promise.allSettled(pages.map((page, index) => takePicture(page, `${name}-${index}`)))
}
