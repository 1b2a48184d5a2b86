/** A device that requests a code, and the person who approves it. */
import { DEVICE_GRANT_TYPE } from '../../../shared/wire/oauth.ts'
import { production } from '../http/front-harness.ts'
import { field } from '../identity/browser.ts'
import { type Person, requestToken, type Tokens } from './oauth-client.ts'

export const CLIENT = 'https://device.example.com/client.json'

export type Device = {
  clientId: string
  device_code: string
  user_code: string
  verification_uri: string
  verification_uri_complete: string
  expires_in: number
  interval: number
}

let addresses = 0

/** Sends a request from an address of its own, because the codes of an address are limited. */
export function fromAnyAddress(path: string, init: RequestInit): Promise<Response> {
  const headers = new Headers(init.headers)
  const address = `2001:db8:${(++addresses).toString(16)}:${(Date.now() % 0xffff).toString(16)}::1`
  if (!headers.has('cf-connecting-ip')) headers.set('cf-connecting-ip', address)
  return production()(path, { ...init, headers })
}

export function requestCode(
  parameters: Record<string, string> = {},
  headers: Record<string, string> = {},
): Promise<Response> {
  const body = new URLSearchParams({ client_id: CLIENT, ...parameters })
  return fromAnyAddress('/oauth/device_authorization', { method: 'POST', headers, body })
}

export async function newDevice(parameters: Record<string, string> = {}): Promise<Device> {
  const codes: Omit<Device, 'clientId'> = await (await requestCode(parameters)).json()
  return { clientId: parameters.client_id ?? CLIENT, ...codes }
}

export const poll = (
  { clientId, device_code }: Pick<Device, 'clientId' | 'device_code'>,
  changes: Record<string, string> = {},
) => requestToken({ grant_type: DEVICE_GRANT_TYPE, client_id: clientId, device_code, ...changes })

export const challengeOfDevice = ({ verification_uri_complete }: Device) =>
  new URL(verification_uri_complete).searchParams.get('challenge')!

export function pathOf({ verification_uri_complete }: Device): string {
  const { pathname, search } = new URL(verification_uri_complete)
  return pathname + search
}

/** Opens the complete link. @returns the form token */
export async function opened(person: Person, device: Device): Promise<string> {
  return field(await (await person.get(pathOf(device))).text(), 'csrf')
}

/** Opens the complete link, and submits its form with the code. */
export async function approve(
  person: Person,
  device: Device,
  changes: Record<string, string> = {},
): Promise<Response> {
  const csrf = changes.csrf ?? (await opened(person, device))
  const form = {
    challenge: challengeOfDevice(device),
    csrf,
    user_code: device.user_code,
    decision: 'authorize',
    ...changes,
  }
  return person.post('/agent/authorize', form)
}

/** Types a code on the page of `verification_uri`. */
export async function typeCode(person: Person, user_code: string): Promise<Response> {
  const csrf = field(await (await person.get('/device')).text(), 'csrf')
  return person.post('/device', { csrf, user_code })
}

/** Runs the whole flow. */
export async function connected(
  person: Person,
  parameters: Record<string, string> = {},
): Promise<Tokens & { device: Device }> {
  const device = await newDevice(parameters)
  await approve(person, device)
  const tokens: Tokens = await (await poll(device)).json()
  return { ...tokens, device }
}

/** A well-formed code that does not match. */
export const another = (code: string) => (code[0] === '7' ? '8' : '7') + code.slice(1)
