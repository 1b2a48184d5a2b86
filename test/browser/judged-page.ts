/** Checks that every page must pass: accessible to everyone, and fit for small and large screens. */
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

/** Checks the page on a desktop and on a phone, there in light and dark. Leaves it on the phone. */
export async function judge(
  page: Page,
  name: string,
  { maxBytes = PAGE_MAX_BYTES, maxLoadedBytes = LOADED_MAX_BYTES }: Bounds = {},
): Promise<void> {
  // First, since each change of the window's size shifts the layout.
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
  // Shifts up to here were caused by the changes of size above.
  await evaluate(page, 'globalThis.judgedUntil = performance.now()')
  expect(faults, name).toEqual([])
}

/** Resolves at the end of a frame, in which scripts that observe sizes have run. */
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
/** All else is the same in both schemes. */
const COLOURS_ALONE: RunOptions = { ...ALL, runOnly: ['color-contrast'] }

async function violations(page: Page, options: RunOptions): Promise<unknown[]> {
  if (!(await evaluate(page, 'typeof axe === "object"'))) await evaluate(page, `${AXE};0`)
  const run = `axe.run(document, ${JSON.stringify(options)}).then(({ violations }) => violations)`
  const found = (await evaluate(page, run)) as AxeResults['violations']
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

async function overflow(page: Page, screenWidth: number): Promise<string[]> {
  const width = Number(await evaluate(page, 'document.documentElement.scrollWidth'))
  return width === screenWidth ? [] : [`${width} px wide on a screen of ${screenWidth}`]
}

/** Visible targets that are too low, and texts that must agree: all of them in one round trip. */
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
  // A view of a page stands before it.
  else if (title !== heading && !title.endsWith(` · ${heading}`)) found.push('another title')
  return [...found, ...small]
}
