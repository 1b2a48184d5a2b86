import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startOrigin, type TestOrigin } from './origin.ts'

let origin: TestOrigin
beforeAll(async () => {
  origin = await startOrigin()
})
afterAll(() => origin.close())

describe('GET /core/v1/version', () => {
  it('returns the version and commit of the software and the version of the API, without a key', async () => {
    const file = fileURLToPath(new URL('../../../package.json', import.meta.url))
    const { version } = JSON.parse(readFileSync(file, 'utf8'))
    const answer = await origin.core('version', {})
    const { commit } = origin.services.build
    expect(answer.body).toEqual({ version, commit, api_version: 'v1.2' })
  })
})

describe('GET /core/v1/limits', () => {
  it('returns each limit in force with its unit, including those from settings', async () => {
    const { body } = await origin.core('limits', {})
    const { settings } = origin.services
    expect(body.source_text).toMatchObject({ value: 16 * 1024 * 1024, unit: 'bytes' })
    expect(body.key_operations.value).toBe(10)
    expect(body.list_page_size.value).toBe(200)
    expect(body.execution_wall_clock.value).toBe(settings.SVC_EXECUTION_WALL_MS)
    expect(body.new_account_burst.value).toBe(30)
    expect(body.new_account_rate).toMatchObject({ value: 1_800, unit: 'accounts per hour' })
  })

  it('returns limits that are enforced: an Idempotency-Key of one more character is rejected', async () => {
    const { body } = await origin.core('limits', {})
    const key = await origin.account()
    const headers = (length: number) => ({ 'idempotency-key': 'x'.repeat(length) })
    const max = body.idempotency_key.value
    const wallet = { key, body: {} }
    const over = await origin.core('create_wallet', { ...wallet, headers: headers(max + 1) })
    const just = await origin.core('create_wallet', { ...wallet, headers: headers(max) })
    expect([over.status, just.status]).toEqual([400, 200])
  })
})
