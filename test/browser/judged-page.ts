/** Checks for every page: accessibility, and layout on small and large screens. */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { AxeResults, RunOptions } from 'axe-core'
import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { evaluate } from './evaluate.ts'
import { picturesRequested, takePicture } from './pictures.ts'

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

const PHONE = { width: 360, height: 740 }
const DESKTOP = { width: 1280, height: 800 }

/** Minimum height of touch targets (WCAG 2.5.5). Links within sentences are exempt. */
const TARGET_PX = 44

/** Size limit of a page of text and forms, without the resources it loads. */
const PAGE_MAX_BYTES = 30 * 1024

/** Size limit of a first page with all resources it loads. */
const LOADED_MAX_BYTES = 100 * 1024

/** Layout shift below this is not noticeable. */
const SHIFT_MAX = 0.01

type Bounds = {
  /** Limit of the document, for lists and editors. */
  maxBytes?: number
  /** Limit of the document with all resources, for pages that load more on demand. */
  maxLoadedBytes?: number
}

/** Checks the page on a desktop and on a phone, the latter in light and dark mode. Leaves it at phone size. */
export async function judge(
  page: Page,
  name: string,
  { maxBytes = PAGE_MAX_BYTES, maxLoadedBytes = LOADED_MAX_BYTES }: Bounds = {},
): Promise<void> {
  // First, because each change of the window size shifts the layout.
  const faults: unknown[] = [...(await loading(page, maxLoadedBytes))]
  await show(page, DESKTOP, 'light')
  faults.push(...(await overflow(page, DESKTOP.width)))
  if (picturesRequested) {
    await takePicture(page, `${name}-desktop-light`)
    await show(page, DESKTOP, 'dark')
    await takePicture(page, `${name}-desktop-dark`)
  }
  for (const [colorScheme, rules] of [['light', ALL] as const, ['dark', COLOURS_ALONE] as const]) {
    await show(page, PHONE, colorScheme)
    if (picturesRequested) await takePicture(page, `${name}-phone-${colorScheme}`)
    faults.push(...(await violations(page, rules)))
  }
  faults.push(...(await overflow(page, PHONE.width)), ...(await misfits(page, maxBytes)))
  // Excludes layout shifts caused by the size changes above.
  await evaluate(page, 'globalThis.judgedUntil = performance.now()')
  expect(faults, name).toEqual([])
}

/** Resolves after a frame, once scripts that observe sizes have run. */
const DRAWN = 'new Promise((done) => requestAnimationFrame(() => setTimeout(() => done(true), 0)))'

async function show(
  page: Page,
  viewport: { width: number; height: number },
  colorScheme: 'light' | 'dark',
): Promise<void> {
  await page.setViewportSize(viewport)
  await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
  await evaluate(page, DRAWN)
}

const ALL: RunOptions = {
  rules: { 'target-size': { enabled: true } },
  resultTypes: ['violations'],
  preload: false,
}
// Only colors differ between the schemes.
const COLOURS_ALONE: RunOptions = { ...ALL, runOnly: ['color-contrast'] }

async function violations(page: Page, options: RunOptions): Promise<unknown[]> {
  if (!(await evaluate(page, 'typeof axe === "object"'))) await evaluate(page, `${AXE};0`)
  const run = `axe.run(document, ${JSON.stringify(options)}).then(({ violations }) => violations)`
  const found = (await evaluate(page, run)) as AxeResults['violations']
  return found.map(({ id, nodes }) => ({ id, at: nodes.map(({ html }) => html) }))
}

const TARGETS =
  'button, nav a, header a, footer a, input:not([type=hidden], [type=radio], [type=checkbox]), select, textarea, summary, label:has([type=radio], [type=checkbox])'

/** Excludes the language service of editors, which a worker loads in the background (test/tree/page-scripts.test.ts). */
const LOADED = `[...performance.getEntriesByType("navigation"), ...performance.getEntriesByType("resource")]
  .filter(({ name }) => !new URL(name).pathname.endsWith("/scripts/language.js"))
  .reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0)`

/** Layout shift since the page was opened, except after user input. */
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

async function overflow(page: Page, screenWidth: number): Promise<string[]> {
  const width = Number(await evaluate(page, 'document.documentElement.scrollWidth'))
  return width === screenWidth ? [] : [`${width} px wide on a screen of ${screenWidth}`]
}

/** Collects visible targets that are too small, the headings and the title, in one round trip. */
const SHAPE = `(() => {
  const small = []
  for (const target of document.querySelectorAll(${JSON.stringify(TARGETS)})) {
    const { width, height } = target.getBoundingClientRect()
    const visible = width > 0 && height > 0 && target.checkVisibility({ visibilityProperty: true })
    if (visible && height < ${TARGET_PX}) small.push(height + ' px high: ' + target.innerText)
  }
  const headings = [...document.querySelectorAll('h1')].map(({ innerText }) => innerText)
  return { small, headings, title: document.title }
})()`

type Shape = { small: string[]; headings: string[]; title: string }

async function misfits(page: Page, maxBytes: number): Promise<string[]> {
  const found: string[] = []
  const bytes = Buffer.byteLength(await page.content())
  if (bytes > maxBytes) found.push(`${bytes} bytes`)
  const { small, headings, title } = (await evaluate(page, SHAPE)) as Shape
  const [heading] = headings
  if (headings.length !== 1) found.push(`${headings.length} headings of the first level`)
  // The title of a view is prefixed with the name of the view.
  else if (title !== heading && !title.endsWith(` · ${heading}`)) found.push('another title')
  return [...found, ...small]
}
