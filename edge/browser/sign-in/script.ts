import {
  browserSupportsWebAuthn,
  type PublicKeyCredentialRequestOptionsJSON,
  startAuthentication,
} from '@simplewebauthn/browser'
import { postJson } from '../post-json.ts'
import { pressHandler } from '../passkeys/press-handler.ts'

const section = document.getElementById('passkey')!
const button = section.querySelector('button')!
const status = document.getElementById('passkey-status')!

async function signIn(): Promise<void> {
  const optionsJSON = await postJson<PublicKeyCredentialRequestOptionsJSON>(
    '/passkeys/sign-in-options',
    {},
  )
  const response = await startAuthentication({ optionsJSON })
  const given = section.dataset['next'] ?? '/'
  // The server has checked that `next` is a path of this site.
  const { next } = await postJson<{ next: string }>('/passkeys/sign-in', { response, next: given })
  location.assign(next)
}

if (browserSupportsWebAuthn()) {
  const press = pressHandler({ button, status, waiting: 'Waiting for your passkey…' }, signIn)
  button.addEventListener('click', () => void press())
  section.hidden = false
}
