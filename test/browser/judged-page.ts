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

/** Leaves `name` in four pictures: on a phone and a desktop, light and dark. */
export async function judge(page: Page, name: string): Promise<void> {
  mkdirSync(PICTURES, { recursive: true })
  const faults: unknown[] = []
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
  faults.push(...(await misfits(page)))
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
  'button, nav a, header a, footer a, input:not([type=hidden], [type=radio]), label:has([type=radio])'

async function misfits(page: Page): Promise<string[]> {
  const found: string[] = []
  const width = Number(await evaluate(page, 'document.documentElement.scrollWidth'))
  if (width !== PHONE.width) found.push(`${width} px wide on a screen of ${PHONE.width}`)
  const bytes = Buffer.byteLength(await page.content())
  if (bytes > PAGE_MAX_BYTES) found.push(`${bytes} bytes`)
  if ((await page.title()) !== (await page.locator('h1').innerText())) found.push('another title')
  for (const target of await page.locator(TARGETS).filter({ visible: true }).all()) {
    const box = await target.boundingBox()
    if (box && box.height < TARGET_PX)
      found.push(`${box.height} px high: ${await target.innerText()}`)
  }
  return found
}
