import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { serve } from '@hono/node-server'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { operations } from '../../origin/http/operations.ts'
import { startOrigin, type TestOrigin } from '../origin/http/origin.ts'
import { installed, launchChromium } from './chromium.ts'

describe.skipIf(!installed)('the API description in a browser', () => {
  let origin: TestOrigin
  let server: ReturnType<typeof serve>
  let browser: Browser
  let url: string
  beforeAll(async () => {
    origin = await startOrigin()
    const listening = Promise.withResolvers<AddressInfo>()
    const { fetch } = origin.app
    server = serve({ fetch, port: 0, hostname: '127.0.0.1', createServer }, listening.resolve)
    url = `http://127.0.0.1:${(await listening.promise).port}`
    browser = await launchChromium()
  })
  afterAll(async () => {
    await browser?.close()
    server?.close()
    await origin?.close()
  })

  it('shows every operation, contacts only the origin, and causes no errors', async () => {
    const page = await browser.newPage()
    const complaints: string[] = []
    const asked = new Set<string>()
    page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()))
    page.on('pageerror', (error) => complaints.push(String(error)))
    page.on('request', (request) => asked.add(new URL(request.url()).origin))
    page.on('response', (answer) => {
      if (answer.status() >= 400) complaints.push(`${answer.status()} ${answer.url()}`)
    })

    await page.goto(`${url}/core/v1/swagger-ui`)
    await page.locator('.opblock').first().waitFor()
    const shown = await page.locator('.opblock-summary-path').allTextContents()
    const paths = shown.map((path) => path.replaceAll('\u200b', ''))
    expect(paths).toEqual(expect.arrayContaining(operations.map(({ path }) => path)))

    // Collapsed sections render only when opened, and load their icons and styles then.
    await page.locator('.opblock-summary-control', { hasText: 'add_group' }).first().click()
    await page.locator('.opblock.is-open .responses-table').first().waitFor()
    await page.getByRole('button', { name: 'Try it out' }).click()
    expect(await page.locator('.opblock.is-open').innerText()).toContain('Idempotency-Key')

    expect(complaints).toEqual([])
    expect([...asked].filter((from) => from !== url && from !== 'null')).toEqual([])
    await page.close()
  })
})
