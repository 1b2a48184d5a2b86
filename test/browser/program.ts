/** Creates a token and its challenge, as a program does before it sends a user to the approval page. */
import { createHash, randomBytes } from 'node:crypto'
import { DEVICE_GRANT_TYPE } from '../../shared/wire/oauth.ts'

export type Program = { token: string; challenge: string; path: string }

export function newProgram(): Program {
  const token = randomBytes(48).toString('base64url')
  const challenge = createHash('sha256').update(token).digest('base64url')
  return { token, challenge, path: `/agent/authorize?challenge=${challenge}` }
}

type Registration = { challenge: string; label: string; scopes?: string[] }

/** Registers a request. @returns the code that the program shows, and the path of the page to type it on */
export async function registerRequest(
  triggersUrl: string,
  body: Registration,
): Promise<{ userCode: string; path: string }> {
  const answer = await fetch(`${triggersUrl}/agent/requests`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  if (answer.status !== 201) throw new Error(`the request was answered ${answer.status}`)
  const request = (await answer.json()) as { user_code: string; authorize_url: string }
  const { pathname, search } = new URL(request.authorize_url)
  return { userCode: request.user_code, path: pathname + search }
}

const DEVICE_CLIENT = 'https://device.example.com/client.json'

/** Requests a device code, as a program without a browser does. */
export async function requestDeviceCode(triggersUrl: string): Promise<{
  userCode: string
  poll: () => Promise<Record<string, unknown>>
}> {
  const send = async (path: string, fields: Record<string, string>) => {
    const body = new URLSearchParams({ client_id: DEVICE_CLIENT, ...fields })
    const answer = await fetch(triggersUrl + path, { method: 'POST', body })
    return (await answer.json()) as Record<string, unknown>
  }
  const { user_code, device_code } = await send('/oauth/device_authorization', {})
  return {
    userCode: String(user_code),
    poll: () =>
      send('/oauth/token', { grant_type: DEVICE_GRANT_TYPE, device_code: String(device_code) }),
  }
}
