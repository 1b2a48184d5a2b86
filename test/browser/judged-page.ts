/** What is asked of every page: that all can use it, and that it fits each screen. Its pictures are for people's eyes. */
import { mkdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import axe, { type AxeResults, type RunOptions } from 'axe-core'
import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { evaluate } from './evaluate.ts'

/** Made by each run, and ignored by git. */
const PICTURES = fileURLToPath(new URL('../artifacts/', import.meta.url))

const PHONE = { width: 360, height: 740 }
const DESKTOP = { width: 1280, height: 800 }

/** Fingers hit what is as large as this (WCAG 2.5.5); links within sentences need not be. */
const TARGET_PX = 44

/** A page of text and forms, without what it links to. */
const PAGE_MAX_BYTES = 30 * 1024

/** A first page with all that it loads by itself. */
const LOADED_MAX_BYTES = 100 * 1024

/** What nobody sees move. */
const SHIFT_MAX = 0.01

type Bounds = {
  /** Of its document, where it is a list or an editor. */
  maxBytes?: number
  /** Of the document with what it loads; for pages that load more when it is needed. */
  maxLoadedBytes?: number
}

/** Leaves `name` in four pictures: on a phone and a desktop, light and dark. */
export async function judge(
  page: Page,
  name: string,
  { maxBytes = PAGE_MAX_BYTES, maxLoadedBytes = LOADED_MAX_BYTES }: Bounds = {},
): Promise<void> {
  mkdirSync(PICTURES, { recursive: true })
  // First: another size of the window moves all.
  const faults: unknown[] = [...(await loading(page, maxLoadedBytes))]
  for (const [screen, viewport] of [['desktop', DESKTOP] as const, ['phone', PHONE] as const]) {
    await page.setViewportSize(viewport)
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
      const path = `${PICTURES}${name}-${screen}-${colorScheme}.png`
      await page.screenshot({ path, fullPage: true })
      if (screen === 'phone')
        faults.push(...(await violations(page, colorScheme === 'light' ? ALL : COLOURS_ALONE)))
    }
  }
  faults.push(...(await misfits(page, maxBytes)))
  // What the sizes of above moved is not the page's doing.
  await evaluate(page, 'globalThis.judgedUntil = performance.now()')
  expect(faults, name).toEqual([])
}

const ALL: RunOptions = {
  rules: { 'target-size': { enabled: true } },
  resultTypes: ['violations'],
  preload: false,
}
/** All else is the same in both schemes. */
const COLOURS_ALONE: RunOptions = { ...ALL, runOnly: ['color-contrast'] }

async function violations(page: Page, options: RunOptions): Promise<unknown[]> {
  if (!(await evaluate(page, 'typeof axe === "object"'))) await evaluate(page, axe.source)
  const run = `axe.run(document, ${JSON.stringify(options)})`
  const { violations: found } = (await evaluate(page, run)) as AxeResults
  return found.map(({ id, nodes }) => ({ id, at: nodes.map(({ html }) => html) }))
}

const TARGETS =
  'button, nav a, header a, footer a, input:not([type=hidden], [type=radio], [type=checkbox]), select, textarea, summary, label:has([type=radio], [type=checkbox])'

const LOADED =
  '[...performance.getEntriesByType("navigation"), ...performance.getEntriesByType("resource")].reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0)'

/** What moved without a press or a key, since the page was opened. */
const SHIFTED = `new Promise((done) => {
  let sum = 0
  const observer = new PerformanceObserver((list) => {
    for (const { startTime, value, hadRecentInput } of list.getEntries())
      if (!hadRecentInput && startTime > (globalThis.judgedUntil ?? 0)) sum += value
  })
  observer.observe({ type: 'layout-shift', buffered: true })
  setTimeout(() => done(sum), 0)
})`

async function loading(page: Page, maxLoadedBytes: number): Promise<string[]> {
  const found: string[] = []
  const bytes = Number(await evaluate(page, LOADED))
  if (bytes > maxLoadedBytes) found.push(`${bytes} bytes with all that it loaded`)
  const shifted = Number(await evaluate(page, SHIFTED))
  if (shifted > SHIFT_MAX) found.push(`it moved by ${shifted}`)
  return found
}

async function misfits(page: Page, maxBytes: number): Promise<string[]> {
  const found: string[] = []
  const width = Number(await evaluate(page, 'document.documentElement.scrollWidth'))
  if (width !== PHONE.width) found.push(`${width} px wide on a screen of ${PHONE.width}`)
  const bytes = Buffer.byteLength(await page.content())
  if (bytes > maxBytes) found.push(`${bytes} bytes`)
  const [title, heading] = [await page.title(), await page.locator('h1').innerText()]
  // A view of a page stands before it.
  if (title !== heading && !title.endsWith(` · ${heading}`)) found.push('another title')
  for (const target of await page.locator(TARGETS).filter({ visible: true }).all()) {
    const box = await target.boundingBox()
    if (box && box.height < TARGET_PX)
      found.push(`${box.height} px high: ${await target.innerText()}`)
  }
  return found
}
