import { describe, expect, it } from 'vitest'
import { createMuteToken, readMuteToken } from '../../../edge/alerts/mute-token.ts'
import { encodeBase64url } from '../../../shared/encoding/base64url.ts'
import { DAY_MS } from '../../../shared/durations.ts'
import { random } from '../app.ts'

const key = encodeBase64url(random(32))
const target = { userId: 'user', triggerId: 'trigger' }
const now = 1_800_000_000_000

describe('the token of a mute link', () => {
  it('names the user and the trigger, for 90 days', async () => {
    const token = await createMuteToken(key, target, now)
    expect(await readMuteToken(key, token, now)).toEqual(target)
    expect(await readMuteToken(key, token, now + 90 * DAY_MS - 1)).toEqual(target)
    expect(await readMuteToken(key, token, now + 90 * DAY_MS)).toBeUndefined()
  })

  it('forgery: is invalid with another payload, MAC or key', async () => {
    const token = await createMuteToken(key, target, now)
    const other = await createMuteToken(key, { userId: 'victim', triggerId: null }, now)
    const [body, mac] = token.split('.')
    const forged = [
      `${other.split('.')[0]}.${mac}`,
      `${body}.${encodeBase64url(random(32))}`,
      `${body}.`,
      `${body}`,
      '.',
      '',
      `${body}.${mac}x`,
      'A'.repeat(10_000),
      '\0',
    ]
    for (const text of forged) expect(await readMuteToken(key, text, now), text).toBeUndefined()
    expect(await readMuteToken(encodeBase64url(random(32)), token, now)).toBeUndefined()
  })
})
