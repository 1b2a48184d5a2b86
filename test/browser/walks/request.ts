import { expect, it } from 'vitest'
import { judge } from '../judged-page.ts'
import { newProgram, registerRequest, requestDeviceCode } from '../program.ts'
import type { Walks } from '../walks.ts'

export function requestWalks(walks: Walks): void {
  it('authorizes a registered request with the right code after a wrong one', async () => {
    const { token, challenge } = newProgram()
    const label = 'Nightly reports <build 7>'
    const body = { challenge, label, scopes: ['triggers:read'] }
    const { userCode, path } = await registerRequest(walks.triggersUrl, body)
    const visitor = await walks.signedIn()
    const { page } = visitor
    await visitor.open(path)
    await visitor.armed()
    await judge(page, 'request')
    expect(await page.locator('main').innerText()).toContain(label)

    // Another character of the same alphabet.
    await page.getByRole('textbox').fill(userCode.replace(/^./, (c) => (c === '0' ? '1' : '0')))
    await visitor.press('Authorize')
    expect(await page.getByRole('alert').innerText()).toMatch(/Wrong code.*4 attempts left/)
    await visitor.armed()
    await judge(page, 'request-wrong-code')
    expect(await walks.me(token)).toMatchObject({ status: 401 })

    await page.getByRole('textbox').fill(userCode.toLowerCase().replace('-', ' '))
    await visitor.press('Authorize')
    expect(await visitor.heading()).toBe('Authorized')
    const me = { email: 'member@example.com', label, scopes: ['triggers:read'] }
    expect(await walks.me(token)).toMatchObject({ status: 200, body: me })
  })

  it('authorizes a device whose code the user types', async () => {
    const device = await requestDeviceCode(walks.triggersUrl)
    const visitor = await walks.signedIn()
    const { page } = visitor
    await visitor.open('/device')
    await judge(page, 'device')
    await page.getByRole('textbox').fill('ZZZZ-ZZZZ')
    await visitor.press('Continue')
    expect(await page.getByRole('alert').innerText()).toMatch(/No open request has this code/)
    await judge(page, 'device-unknown-code')
    await page.getByRole('textbox').fill(device.userCode.toLowerCase().replace('-', ' '))
    await visitor.press('Continue')
    await visitor.armed()
    await judge(page, 'device-request')
    expect(await page.getByRole('textbox').inputValue()).toBe(device.userCode)
    expect(await device.poll()).toMatchObject({ error: 'authorization_pending' })
    await visitor.press('Authorize')
    expect(await visitor.heading()).toBe('Authorized')
    expect(await device.poll()).toMatchObject({ token_type: 'Bearer' })
    await visitor.open('/agent/tokens')
    expect(await page.locator('main').innerText()).toContain('Site (not verified)')
  })

  it('closes a registered request if the user refuses it, without its code', async () => {
    const { token, challenge } = newProgram()
    const { path } = await registerRequest(walks.triggersUrl, { challenge, label: 'Somebody' })
    const visitor = await walks.signedIn()
    await visitor.open(path)
    await visitor.press('Refuse')
    expect(await visitor.heading()).toBe('Refused')
    await visitor.open(path)
    expect(await visitor.heading()).toBe('This request was refused')
    await judge(visitor.page, 'request-refused')
    expect(await walks.me(token)).toMatchObject({ status: 401 })
  })

  it('rejects the approval of an expired request, and explains it', async () => {
    const { token, challenge } = newProgram()
    const { path, userCode } = await registerRequest(walks.triggersUrl, {
      challenge,
      label: 'Late',
    })
    const visitor = await walks.signedIn()
    await visitor.open(path)
    await visitor.page.getByRole('textbox').fill(userCode)
    await visitor.armed()
    walks.database.run('update agent_requests set expires_at = ? where challenge = ?', [
      Date.now() - 1,
      challenge,
    ])
    await visitor.press('Authorize')
    expect(await visitor.heading()).toBe('This request has expired')
    await judge(visitor.page, 'request-expired')
    expect(await walks.me(token)).toMatchObject({ status: 401 })
  })

  it('locks a request after too many wrong codes', async () => {
    const { challenge } = newProgram()
    const { path, userCode } = await registerRequest(walks.triggersUrl, {
      challenge,
      label: 'Once',
    })
    const visitor = await walks.signedIn()
    await visitor.open(path)
    const wrong = userCode.startsWith('ZZZZ') ? 'YYYY-YYYY' : 'ZZZZ-ZZZZ'
    for (let attempt = 1; attempt <= 5; attempt++) {
      await visitor.page.getByRole('textbox').fill(wrong)
      await visitor.onward(() => visitor.page.keyboard.press('Enter'))
    }
    expect(await visitor.heading()).toBe('This request is locked')
    await judge(visitor.page, 'request-locked')
  })
}
